import type { JsonObject } from '@farebox/protocol/fields/field'
import type { Clock } from '@farebox/protocol/time/clock'
import type { Handler } from '../handlers.ts'
import type { Log } from '../log.ts'
import { describeFailure, failureError, logFailure } from './handler-failure.ts'
import type { HandlerHost } from './handler-host.ts'
import { createJobContext } from './job-context.ts'
import { checkOutput } from './check-output.ts'

/** Runs handlers in this process: the fastest way, but a handler that blocks or crashes affects all jobs. */
export function createHandlersHere(
  handlers: ReadonlyMap<string, Handler<JsonObject, unknown>>,
  { clock, log, devMode }: { readonly clock: Clock; readonly log: Log; readonly devMode: boolean },
): HandlerHost {
  return {
    // Async, so that a handler that throws synchronously rejects like any other.
    async run({ jobId, capability, payer, input, deadline, aborter, spending, hiring }) {
      const { name, checkOutput: check } = capability
      const handler = handlers.get(name)
      if (handler === undefined) throw new Error(`no handler for ${name}`)
      const context = createJobContext({
        jobId,
        capability: name,
        payer,
        deadlineMs: deadline.atMs,
        aborter,
        clock,
        log: message => log.job(message, jobId),
        spending,
        hiring,
      })
      try {
        const output = await handler(input, context)
        return { check: () => checkOutput(check, output, devMode) }
      } catch (error) {
        const failure = describeFailure(error)
        logFailure(log, jobId, failure)
        throw failureError(failure)
      }
    },
    close: () => Promise.resolve(),
  }
}
