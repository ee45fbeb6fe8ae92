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

/** All that an agent is made of, read and checked. */
export interface PreparedAgent {
  readonly declaration: Declaration
  /** With isolation the file alone: it is not for this process to import. */
  readonly handlers: AnyHandlers | HandlersModule
  readonly environment: Environment
  /** What the environment was read from. */
  readonly variables: Variables
}

/**
 * Reads what a start needs. All that is missing or wrong is reported at once: throws the one refusal there is, or a
 * `StartRefused` with each. Handlers are run only when the rest is right.
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
    // Each would know its own jobs alone: the same payment could buy as many as there are workers (D6).
    throw new EnvironmentError({
      variable: 'SERVICE_STORE',
      problem: `is memory:, which ${options.workers} workers cannot share`,
      hint: 'set SERVICE_STORE=lmdb:<folder> or leave it unset, or leave out --workers',
    })
  }
  return environment
}

/** Without a config nothing is beside it: then that is all there is to say. */
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
