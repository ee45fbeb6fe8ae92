import type { Turns } from '@farebox/protocol/internal/body/turns'
import type { SignatureVerifier } from '@farebox/payments/x402/verify-signature'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { Clock } from '@farebox/protocol/time/clock'
import type { InputChecks } from '../../input-checks/check-inputs.ts'
import type { JobLooks } from '../../jobs/job-looks.ts'
import type { JobNotifier } from '../../jobs/job-notifier.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import type { GraceEnd } from '../../grace-end.ts'
import type { Log } from '../../log.ts'
import type { JobTraces } from '../../tracing/job-traces.ts'
import type { AgentMetrics } from '../../metrics/agent-metrics.ts'
import type { PaymentGate } from '../../payment-gate/payment-gate.ts'
import type { Admission } from './admission.ts'
import type { HandlerHost } from '../../handler/handler-host.ts'
import type { Hiring } from '../../handler/job-hiring.ts'
import type { Spending } from '../../handler/job-spending.ts'
import type { LeaseKeeper } from '../../jobs/renew-leases.ts'
import type { Settlements } from '../../settlements/settlements.ts'
import type { ServedCapability } from '../../handler/served-capability.ts'

/** Everything that the pipeline works with; `createAgent` makes it once from injected parts. */
export interface Service {
  /** The declaration as served by `/about`. */
  readonly declaration: Declaration
  readonly capabilities: ReadonlyMap<string, ServedCapability>
  /** Undefined in dev mode: the payment steps are skipped (D14). */
  readonly payments: Payments | undefined
  readonly handlers: HandlerHost
  readonly spending: Spending
  readonly hiring: Hiring
  readonly jobs: JobStore
  /** For requests that wait for a job. To change a job, read it from the store instead. */
  readonly looks: JobLooks
  readonly notifier: JobNotifier
  readonly leases: LeaseKeeper
  readonly settlements: Settlements
  readonly graceEnd: GraceEnd
  readonly inputs: InputChecks
  /** For work that would block the event loop. */
  readonly turns: Turns
  readonly clock: Clock
  /** Adds the fields of `traces` to the lines of jobs. */
  readonly log: Log
  readonly traces: JobTraces
  readonly metrics: AgentMetrics
  /** D17; 0: every deadline that has not passed is accepted. */
  readonly leastDeadlineSeconds: number
  readonly admission: Admission
}

/** The parts that are needed to take payments. */
export interface Payments {
  readonly crypto: EvmCrypto
  readonly verifier: SignatureVerifier
  /** `eip155:<chain id>`: the chain on which this agent is paid. */
  readonly networkId: string
  /** Undefined when FACILITATOR_SECRET is missing: paid requests are answered 401 (D11). */
  readonly gate: PaymentGate | undefined
  /**
   * The configured URL, which a bound nonce must name (D13); undefined: the nonce names the URL that the request was
   * sent to.
   */
  readonly executeUrl: string | undefined
}
