import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { PaymentSigner } from '@farebox/payments/x402/sign-payment'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { AgentView } from './agent-view.ts'
import type { AgentMode } from './agent-mode.ts'
import type { Outgoing, Reply } from '../exchange/send-request.ts'
import type { ScriptedGate } from './scripted-gate.ts'
import type { Terms } from './terms.ts'

/** Who pays for the checks that need a delivered job. */
export interface Payer {
  readonly signer: PaymentSigner
  /** A capability that costs more is not called. Atomic units. */
  readonly maxPrice: bigint
  /**
   * At most so many payments are signed in the whole run; a well-behaved agent charges for few of them.
   * Default 20.
   */
  readonly maxJobs?: number
  /** Pays on this chain alone, `eip155:<chain id>`; default: whatever the agent asks for. */
  readonly network?: string
  /**
   * The declaration by which the payer agreed: payments go to its wallet, at its prices, whatever the agent says
   * later. Default: what `/about` says during the run.
   */
  readonly agreed?: Declaration
}

/** What the kit is told of an agent of one's own, which no stranger's agent can be assumed to have. */
export interface KnownAgent {
  /** It serves `fixtureDeclaration` with `createFixtureHandlers()`. */
  readonly fixture?: boolean
  /** Its log so far, a line an entry. */
  readonly logs?: () => readonly string[]
  /** Its payment gate. */
  readonly gate?: ScriptedGate
  /** Moves the clock that the agent and this run share. */
  readonly advance?: (ms: number) => Promise<void> | void
}

/** A job to be asked for. */
export interface JobWish {
  /** Default: the first declared, unnamed in the request. */
  readonly capability?: string
  /** Default: a valid sample. */
  readonly input?: unknown
  readonly jobId?: string
  /** Unix seconds; default: a little before the agent's own limit. */
  readonly deadline?: number
  /** In paid mode the header to send instead of a new payment. */
  readonly payment?: string
}

/** A job that was delivered, with all that is needed to ask for it again. */
export interface DeliveredJob {
  readonly jobId: string
  readonly capability: string
  readonly input: unknown
  /** Undefined in dev mode. */
  readonly payment: string | undefined
  readonly reply: Reply
}

/** All that a check works with. Whatever costs a request or money is got once and shared by all checks. */
export interface CheckContext {
  readonly baseUrl: string
  /** Aborts when nobody wants to know any more. */
  readonly signal: AbortSignal
  readonly mode: AgentMode
  readonly known: KnownAgent
  nowSeconds(): number
  crypto(): Promise<EvmCrypto>
  /**
   * Signs payments whose signature is good and whose wallet is empty: made up for this run, known to
   * nobody.
   */
  stranger(): Promise<PaymentSigner>
  readonly hasPayer: boolean
  /** Throws `NotApplicable` where there is none. */
  payer(): Payer
  send(outgoing: Outgoing): Promise<Reply>
  /**
   * What `/about` says. Throws `NotApplicable` where it is no declaration: the checks of `/about` tell
   * why.
   */
  agent(): Promise<AgentView>
  /** What a capability asks for, from the header of its 402. */
  terms(capability?: string): Promise<Terms>
  /** The body of a job request. */
  jobBody(wish?: JobWish): Promise<{ [key: string]: unknown }>
  /** Asks for a job; in paid mode with a payment by the payer, unless the wish brings one. */
  runJob(wish?: JobWish): Promise<Reply>
  /**
   * Asks for a job that must be refused for its input. In paid mode such jobs of a capability share a job_id
   * and a payment while it is fresh: failures are not stored (D24), and an agent that charges can charge but
   * once.
   */
  tryInput(input: unknown, capability?: string): Promise<Reply>
  /**
   * A payment by the payer for one job, counted against `maxJobs`; undefined in dev mode. Throws `NotApplicable`
   * where the 402 asks for something else than `/about` declares.
   */
  pay(jobId: string, capability?: string): Promise<string | undefined>
  /** The one job with a sample input that checks share, however it was answered. */
  sampleJob(): Promise<DeliveredJob>
  /**
   * The same as a delivered job. Throws `NotApplicable` where the agent delivers none for a
   * sample.
   */
  delivered(): Promise<DeliveredJob>
}

/**
 * Posts a job request as JSON, with a payment header where there is one.
 *
 * @param jobMs how long the job may take, where one is asked for that should be delivered
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
