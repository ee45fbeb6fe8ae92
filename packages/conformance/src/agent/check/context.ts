import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { PaymentSigner } from '@farebox/payments/x402/sign-payment'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { AgentView } from './agent-view.ts'
import type { AgentMode } from './agent-mode.ts'
import type { Outgoing, Reply } from '../exchange/send-request.ts'
import type { ScriptedGate } from './scripted-gate.ts'
import type { Terms } from './terms.ts'

/** Pays for the checks that need a delivered job. */
export interface Payer {
  readonly signer: PaymentSigner
  /** The highest price, in atomic units. A more expensive capability is not called. */
  readonly maxPrice: bigint
  /** The maximum number of payments signed in the whole run; a correct agent charges for few of them. Default 20. */
  readonly maxJobs?: number
  /** The only chain on which it pays, `eip155:<chain id>`; by default the one that the agent asks for. */
  readonly network?: string
  /**
   * The declaration that the payer agreed to: payments go to its wallet at its prices, whatever the agent declares later.
   * Default: the declaration that `/about` serves during the run.
   */
  readonly agreed?: Declaration
}

/** What the owner of an agent can give to the kit, and what is not available for other agents. */
export interface KnownAgent {
  /** Whether it serves `fixtureDeclaration` with `createFixtureHandlers()`. */
  readonly fixture?: boolean
  /** Returns its log so far, one line for each entry. */
  readonly logs?: () => readonly string[]
  /** Its payment gate. */
  readonly gate?: ScriptedGate
  /** Moves the clock that the agent and this run share. */
  readonly advance?: (ms: number) => Promise<void> | void
}

/** A job to request. */
export interface JobWish {
  /** Default: the first declared one, which the request then does not name. */
  readonly capability?: string
  /** Default: a valid sample. */
  readonly input?: unknown
  readonly jobId?: string
  /** Unix seconds; by default slightly earlier than the agent's own limit. */
  readonly deadline?: number
  /** In paid mode, the header to send instead of a new payment. */
  readonly payment?: string
}

/** A delivered job, with everything needed to request it again. */
export interface DeliveredJob {
  readonly jobId: string
  readonly capability: string
  readonly input: unknown
  /** `undefined` in dev mode. */
  readonly payment: string | undefined
  readonly reply: Reply
}

/** Everything that a check works with. A result that costs a request or money is obtained once and shared by all checks. */
export interface CheckContext {
  readonly baseUrl: string
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal
  readonly mode: AgentMode
  readonly known: KnownAgent
  nowSeconds(): number
  crypto(): Promise<EvmCrypto>
  /**
   * Returns a signer of payments with a valid signature and an empty wallet, created for this run and unknown to every
   * other program.
   */
  stranger(): Promise<PaymentSigner>
  readonly hasPayer: boolean
  /** Throws `NotApplicable` when there is none. */
  payer(): Payer
  send(outgoing: Outgoing): Promise<Reply>
  /**
   * Returns the declaration from `/about`. Throws `NotApplicable` when the response is not a declaration; the checks of
   * `/about` report why.
   */
  agent(): Promise<AgentView>
  /** Returns the payment terms of a capability, from the header of its 402 response. */
  terms(capability?: string): Promise<Terms>
  /** Returns the body of a job request. */
  jobBody(wish?: JobWish): Promise<{ [key: string]: unknown }>
  /** Requests a job; in paid mode with a payment by the payer, unless the wish contains one. */
  runJob(wish?: JobWish): Promise<Reply>
  /**
   * Requests a job that must be refused for its input. In paid mode, such jobs of a capability share a job_id and a payment
   * while the payment is fresh: failures are not stored (D24), and an agent that wrongly charges can do so only once.
   */
  tryInput(input: unknown, capability?: string): Promise<Reply>
  /**
   * Signs a payment by the payer for one job, counted against `maxJobs`; `undefined` in dev mode. Throws `NotApplicable`
   * when the 402 response asks for something other than `/about` declares.
   */
  pay(jobId: string, capability?: string): Promise<string | undefined>
  /** Requests the job with a sample input that checks share, whatever the response is. */
  sampleJob(): Promise<DeliveredJob>
  /** The same as a delivered job. Throws `NotApplicable` when the agent delivers no job for a sample. */
  delivered(): Promise<DeliveredJob>
}

/**
 * Posts a job request as JSON, with a payment header if one is given.
 *
 * @param jobMs how long the job may take, when the request should lead to a delivered job
 */
export async function postJob(
  context: CheckContext,
  body: unknown,
  payment?: string,
  jobMs?: number,
): Promise<Reply> {
  return await context.send({
    ...(jobMs !== undefined && { jobMs }),
    method: 'POST',
    path: '/execute',
    headers: {
      'content-type': 'application/json',
      ...(payment !== undefined && { 'payment-signature': payment }),
    },
    body: JSON.stringify(body),
  })
}
