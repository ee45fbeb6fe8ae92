import type { PaymentSigner } from '@farebox/payments/x402/sign-payment'
import type { RunQuote } from '@farebox/platform-api/flows/run-quote'
import type { RunProgress } from '@farebox/platform-api/flows/runs'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { ClientOptions } from '../exchange/client-options.ts'
import type { PersonQuestion } from './run-errors.ts'
import type { RunRecord } from './run-record.ts'

/**
 * How a run is followed, and what it may be given on the way.
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
  /** Signs the payments that the run asks for on its way; without it such a run rejects with `PaymentNeeded`. */
  readonly signer?: PaymentSigner
  /** CAIP-2 ids that may be paid on; default all we know. */
  readonly networks?: readonly string[]
  /**
   * Pay once more for a step that was charged and delivered nothing; default false. No other step is ever paid twice.
   */
  readonly payAgain?: boolean
  /** Called with the state of the run, after each change. */
  readonly onProgress?: (run: RunProgress) => void
  /** Answers a step that asks a person; absent: such a run rejects with `PersonNeeded`. */
  readonly approve?: (question: PersonQuestion) => boolean | Promise<boolean>
  /**
   * Given the run with all its payments before any of it is sent for the first time, and awaited: what it has written
   * down survives a crash, and `resumeRun` takes it up. If it rejects, nothing is sent.
   */
  readonly journal?: (record: RunRecord) => void | Promise<void>
}

/** How a flow is run and paid. */
export interface RunFlowOptions extends FollowOptions {
  /** Who pays; a viem account is one. */
  readonly signer: PaymentSigner
  /**
   * The most that may be signed for in all, in decimal USDC. A payment that has to be signed again counts again: that the
   * one before it can no longer be charged is the platform's word.
   */
  readonly maxTotal: string
  /**
   * - `upfront`, the default: all payments that are known are signed at the start, so that nobody is needed later
   * - `just-in-time`: each payment is signed when its step is ready
   */
  readonly sign?: 'upfront' | 'just-in-time'
  /**
   * Shown what there is to pay, once that is checked and before the first signature. If it rejects, nothing is signed.
   */
  readonly agree?: (quote: RunQuote) => void | Promise<void>
  /** UUID; default a new one. Choose it where the run must be found again before it has an answer. */
  readonly runId?: string
  /** What opens the run, 32 random bytes in base64url; default a new one. */
  readonly token?: string
  /** UUID of the saved flow that it is, where it is one. */
  readonly flowId?: string
}

/** A run that has come to its end. */
export interface FlowResult {
  /** What the flow gives. An output whose step was left out is not in it. */
  readonly output: JsonObject
  /** All steps with what they gave and what was paid for them. */
  readonly run: RunProgress
  /** Decimal USDC that was charged. */
  readonly paid: string
}
