import type { PaymentSigner } from '@farebox/payments/x402/sign-payment'
import type { RunQuote } from '@farebox/platform-api/flows/run-quote'
import type { RunProgress } from '@farebox/platform-api/flows/runs'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { ClientOptions } from '../exchange/client-options.ts'
import type { PersonQuestion } from './run-errors.ts'
import type { RunRecord } from './run-record.ts'

/**
 * How a run is followed, and what may be sent to it meanwhile.
 *
 * @example
 * ```ts
 * import type { FollowOptions } from '@farebox/client/run/run-options'
 *
 * export const options: FollowOptions = {
 *   onProgress: ({ status, paid }) => console.log(status, paid),
 *   approve: ({ question }) => question.startsWith('Publish'),
 *   signal: AbortSignal.timeout(600_000),
 * }
 * ```
 */
export interface FollowOptions extends ClientOptions {
  /** Signs payments that the run asks for later; without it such a run rejects with `PaymentNeeded`. */
  readonly signer?: PaymentSigner
  /** CAIP-2 ids of the networks that may be paid on; default: all known networks. */
  readonly networks?: readonly string[]
  /** Pay again for a step that was charged without a result; default false. No other step is ever paid twice. */
  readonly payAgain?: boolean
  /** Called with the state of the run after each change. */
  readonly onProgress?: (run: RunProgress) => void
  /** Answers a step that asks a person; without it such a run rejects with `PersonNeeded`. */
  readonly approve?: (question: PersonQuestion) => boolean | Promise<boolean>
  /**
   * Called with the run and all its payments before any of it is sent for the first time, and awaited: after a crash,
   * `resumeRun` continues from the journalled record. If it rejects, nothing is sent.
   */
  readonly journal?: (record: RunRecord) => void | Promise<void>
}

/** How a flow is run and paid. */
export interface RunFlowOptions extends FollowOptions {
  /** Signs the payments; a viem account fits. */
  readonly signer: PaymentSigner
  /**
   * The most that may be signed for in total, in decimal USDC. A payment that must be signed again counts again: only the
   * platform's word says that the earlier one can no longer be charged.
   */
  readonly maxTotal: string
  /**
   * - `upfront`, the default: all payments that are known are signed at the start, so that nobody is needed later
   * - `just-in-time`: each payment is signed when its step is ready
   */
  readonly sign?: 'upfront' | 'just-in-time'
  /** Called with the checked prices before the first signature. If it rejects, nothing is signed. */
  readonly agree?: (quote: RunQuote) => void | Promise<void>
  /** UUID; default: a new one. Choose it when the run must be found again before there is a response. */
  readonly runId?: string
  /** The token that opens the run, 32 random bytes in base64url; default: a new one. */
  readonly token?: string
  /** UUID of the saved flow, if it is one. */
  readonly flowId?: string
}

/** The result of a run that reached its end. */
export interface FlowResult {
  /** The outputs of the flow. Outputs of skipped steps are absent. */
  readonly output: JsonObject
  /** All steps with their outputs and payments. */
  readonly run: RunProgress
  /** The charged amount in decimal USDC. */
  readonly paid: string
}
