import type { JsonObject } from '@farebox/protocol/fields/field'
import type { Deadline } from './enforce-deadline.ts'
import type { CheckedOutput } from './check-output.ts'
import type { JobHiring } from './job-hiring.ts'
import type { JobSpending } from './job-spending.ts'
import type { ServedCapability } from './served-capability.ts'

/** One job as a handler is to do it. */
export interface HandlerCall {
  readonly jobId: string
  readonly capability: ServedCapability
  /** Lower-case address; undefined in dev mode. */
  readonly payer: string | undefined
  readonly input: JsonObject
  readonly deadline: Deadline
  /** Aborts when the handler is to stop. Its signal is made when it is first asked for, and few handlers do. */
  readonly aborter: AbortController
  /** What it may move of the payer's. */
  readonly spending: JobSpending
  /** What it may have others do. */
  readonly hiring: JobHiring
}

/** What a handler returned. Boxed: bare, each promise on its way would ask it for `then` again. */
export interface HandlerReturn {
  /** Checks it and writes it as JSON; never throws. */
  check(): CheckedOutput
}

/** Where handlers run: in this process, or in processes of their own. */
export interface HandlerHost {
  /**
   * Runs a handler. Settles when the handler has ended, which may be after its deadline. What it throws is in the
   * log by then, and rejects as a `ServiceError`: its own, or the generic `InternalError` (D26).
   */
  run(call: HandlerCall): Promise<HandlerReturn>
  /** Ends what still runs, and lets go of what handlers run in. Safe to call twice. */
  close(): Promise<void>
}
