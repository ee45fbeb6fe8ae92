import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { Clock } from '@farebox/protocol/time/clock'
import type { Isolation } from '../environment/read-environment.ts'
import type { HandlerHost } from '../handler/handler-host.ts'
import { createHandlersHere } from '../handler/run-here.ts'
import { ExplainedError } from '../explained-error.ts'
import { matchHandlers } from '../handlers.ts'
import type { Log } from '../log.ts'

/** A module that exports the handlers by default: a path, or a file URL. */
export type HandlersModule = string | URL

/**
 * Makes the host in which handlers run. Without isolation the module is loaded in this process; with isolation it is
 * loaded only in separate processes. Throws an {@link ExplainedError} for functions with isolation, a `HandlersError`
 * for a module that cannot be loaded or, with isolation, does not match the declaration, and otherwise a
 * `MismatchedHandlers`.
 *
 * @param given functions, or a {@link HandlersModule}
 */
export async function hostHandlers(
  given: unknown,
  parts: {
    readonly isolation: Isolation
    readonly declaration: Declaration
    readonly devMode: boolean
    readonly clock: Clock
    readonly log: Log
  },
): Promise<HandlerHost> {
  const file = moduleFile(given)
  if (parts.isolation === 'none') {
    const handlers = file === undefined ? given : await loadModule(file)
    return createHandlersHere(matchHandlers(parts.declaration, handlers), parts)
  }
  if (file === undefined) {
    throw new ExplainedError(
      'handlers: functions cannot be handed to another process, which isolation "worker" asks for',
      "give the file that exports them by default: handlers: new URL('../handlers.js', import.meta.url); or leave isolation out, and SERVICE_ISOLATION unset",
    )
  }
  // Imported lazily: a start without isolation does not need it.
  const { createHandlerPool } = await import('../isolation/handler-pool.ts')
  return await createHandlerPool({ ...parts, file })
}

async function loadModule(file: string): Promise<unknown> {
  const { loadHandlers } = await import('../loading/load-handlers.ts')
  return await loadHandlers(file)
}

function moduleFile(given: unknown): string | undefined {
  if (given instanceof URL) return fileURLToPath(given)
  if (typeof given !== 'string') return undefined
  return given.startsWith('file:') ? fileURLToPath(given) : resolve(given)
}
