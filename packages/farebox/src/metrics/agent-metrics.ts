import type { ErrorType } from '@farebox/protocol/errors/error-types'
import type { LeaseKeeper } from '../jobs/renew-leases.ts'
import type { Settlements } from '../settlements/settlements.ts'
import type { JobStore } from '../jobs/job-store.ts'
import type { PaymentGate } from '../payment-gate/payment-gate.ts'

/** The metrics of an agent's jobs, for its operator (docs/metrics.md). */
export interface AgentMetrics {
  /** Runs a step of a job, and records its duration, whether it succeeds or fails. */
  step<T>(name: StepName, work: () => Promise<T>): Promise<T>
  /** A request to `/execute` was answered. */
  answered(answer: CountedAnswer): void
  /** A handler was still running at its deadline. */
  overran(capability: string): void
}

/** The steps that wait for something, and `whole` for the complete job. */
export type StepName = 'whole' | 'look_up' | 'claim' | 'verify' | 'handler' | 'save' | 'settle'

/** The labels of a counted response. */
export interface CountedAnswer {
  /** The declared name; absent when the request named no declared capability. */
  readonly capability?: string | undefined
  readonly outcome: AnswerOutcome
  readonly errorType?: ErrorType | undefined
}

/**
 * - `asked_to_pay`: the 402 that names the price
 * - `settled`: run here, and paid; `free`: run here, in dev mode
 * - `unpaid`: run here, and its payment definitely failed
 * - `pending`: the outcome of the settlement is not known yet
 * - `repeated`: answered with the result of another request for the job
 * - `refused`: the caller's fault; `failed`: the agent's fault, the 500s
 */
export type AnswerOutcome =
  | 'asked_to_pay'
  | 'settled'
  | 'free'
  | 'unpaid'
  | 'pending'
  | 'repeated'
  | 'refused'
  | 'failed'

/** Wraps parts of the runtime to record metrics. When metrics are off, each part is returned unchanged. */
export interface MetricsRecorder {
  readonly metrics: AgentMetrics
  recordStore(store: JobStore): JobStore
  recordGate(gate: PaymentGate): PaymentGate
  recordSettlements(settlements: Settlements, leases: LeaseKeeper): Settlements
  /** Undefined when metrics are off. */
  readonly source: MetricsSource | undefined
}

/** A readable source of metrics; prom-client's `Registry` is one. */
export interface MetricsSource {
  readonly contentType: string
  /** The metrics in Prometheus' text format. */
  metrics(): Promise<string>
  /** The metrics in the form that can be aggregated with those of other processes. */
  getMetricsAsJSON(): Promise<readonly object[]>
}

/** Opens a server for metrics and for the readiness of the agent. */
export type OpenMetricsServer = (
  source: MetricsSource,
  address: MetricsAddress,
  isReady: () => boolean,
) => Promise<MetricsServer>

/** SERVICE_METRICS_HOST and SERVICE_METRICS_PORT. */
export interface MetricsAddress {
  readonly host: string
  readonly port: number
}

/** A server for metrics. */
export interface MetricsServer {
  /** Undefined when another process serves the metrics. */
  readonly url: string | undefined
  close(): Promise<void>
}

/** Metrics are off unless SERVICE_METRICS_PORT is set. */
export const noMetrics: MetricsRecorder = {
  metrics: { step: (_, work) => work(), answered: () => undefined, overran: () => undefined },
  recordStore: store => store,
  recordGate: gate => gate,
  recordSettlements: settlements => settlements,
  source: undefined,
}
