import type { JsonObject } from '@farebox/protocol/fields/field'
import type { Deadline } from './enforce-deadline.ts'
import type { CheckedOutput } from './check-output.ts'
import type { JobHiring } from './job-hiring.ts'
import type { JobSpending } from './job-spending.ts'
import type { ServedCapability } from './served-capability.ts'

/** One job, as a handler receives it. */
export interface HandlerCall {
  readonly jobId: string
  readonly capability: ServedCapability
  /** Lower-case address; undefined in dev mode. */
  readonly payer: string | undefined
  readonly input: JsonObject
  readonly deadline: Deadline
  /** Aborts when the handler should stop. The signal is created on first use, because few handlers use it. */
  readonly aborter: AbortController
  /** The job's access to the payer's tokens. */
  readonly spending: JobSpending
  /** The job's access to other agents. */
  readonly hiring: JobHiring
}

/**
 * The value that a handler returned. It is wrapped, because promises would otherwise look for `then` on the value
 * itself.
 */
export interface HandlerReturn {
  /** Checks the output and writes it as JSON; never throws. */
  check(): CheckedOutput
}

/** Runs handlers: in this process, or in separate processes. */
export interface HandlerHost {
  /**
   * Runs a handler. Settles when the handler has ended, possibly after its deadline. An error of the handler has been
   * logged by then, and rejects as a `ServiceError`: its own typed error, or the generic `InternalError` (D26).
   */
  run(call: HandlerCall): Promise<HandlerReturn>
  /** Stops running handlers and frees their resources. Safe to call twice. */
  close(): Promise<void>
}
