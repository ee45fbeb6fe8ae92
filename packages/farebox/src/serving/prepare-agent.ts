import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { loadKeccak } from '@farebox/payments/crypto/evm-crypto'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { EnvironmentError } from '../environment/environment-error.ts'
import { findHandlers } from '../loading/load-handlers.ts'
import { loadMatchingHandlers } from '../loading/load-matching-handlers.ts'
import { readConfig } from '../config/read-config.ts'
import { readEnvironment, type Environment, type Variables } from '../environment/read-environment.ts'
import type { AnyHandlers } from '../handlers.ts'
import type { HandlersModule } from '../agent/host-handlers.ts'
import { relativePlace } from '../own-frames.ts'
import type { StartOptions } from '../invocation/command-options.ts'

/** The parts of an agent, read and checked. */
export interface PreparedAgent {
  readonly declaration: Declaration
  /** The handlers; with isolation only the file, which this process must not import. */
  readonly handlers: AnyHandlers | HandlersModule
  readonly environment: Environment
  /** The variables that the environment was read from. */
  readonly variables: Variables
}

/**
 * Reads everything that a start needs. All faults are reported at once: throws the only error, or a `StartRefused` with
 * all of them. The handlers are loaded only when everything else is valid.
 */
export async function prepareAgent(
  options: StartOptions,
  given: { readonly folder: string; readonly variables: Variables },
): Promise<PreparedAgent> {
  const { folder } = given
  const variables = options.port === undefined ? given.variables : { ...given.variables, PORT: options.port }
  const [environment, declaration, handlersFile] = await Promise.allSettled([
    readFittingEnvironment(options, variables),
    readConfig(relativePlace(resolve(folder, options.config))),
    locateHandlers(options, folder),
  ])
  const ready =
    environment.status === 'fulfilled' &&
    declaration.status === 'fulfilled' &&
    handlersFile.status === 'fulfilled'
  if (!ready) throw await refusalOf([environment, declaration, handlersFile])
  return {
    declaration: declaration.value,
    handlers:
      environment.value.isolation === 'worker'
        ? resolve(folder, handlersFile.value)
        : await loadMatchingHandlers(declaration.value, handlersFile.value, folder),
    environment: environment.value,
    variables,
  }
}

async function readFittingEnvironment(options: StartOptions, variables: Variables): Promise<Environment> {
  const environment = readEnvironment(variables, { keccak256: await loadKeccak() })
  if (options.workers > 1 && environment.store === 'memory:') {
    // Each worker would know only its own jobs, so that one payment could buy as many jobs as there are workers (D6).
    throw new EnvironmentError({
      variable: 'SERVICE_STORE',
      problem: `is memory:, which ${options.workers} workers cannot share`,
      hint: 'set SERVICE_STORE=lmdb:<folder> or leave it unset, or leave out --workers',
    })
  }
  return environment
}

/** Finds the handlers. When the config is missing, its error is sufficient and the search is skipped. */
async function locateHandlers(options: StartOptions, folder: string): Promise<string> {
  if (options.handlers !== undefined) return options.handlers
  const config = await access(resolve(folder, options.config)).then(
    () => true,
    () => false,
  )
  return config ? await findHandlers(options.config, folder) : ''
}

async function refusalOf(outcomes: readonly PromiseSettledResult<unknown>[]): Promise<unknown> {
  const refusals: unknown[] = outcomes.flatMap(outcome =>
    outcome.status === 'rejected' ? [outcome.reason] : [],
  )
  if (refusals.length === 1) return refusals[0]
  const { StartRefused } = await import('../invocation/start-refused.ts')
  return new StartRefused(refusals)
}
