import type { ErrorType } from '@farebox/protocol/errors/error-types'
import type { LeaseKeeper } from '../jobs/renew-leases.ts'
import type { Settlements } from '../settlements/settlements.ts'
import type { JobStore } from '../jobs/job-store.ts'
import type { PaymentGate } from '../payment-gate/payment-gate.ts'

/** What an agent counts of its jobs, for its operator (docs/metrics.md). */
export interface AgentMetrics {
  /** Does a step of a job, and notes how long it took, however it ended. */
  step<T>(name: StepName, work: () => Promise<T>): Promise<T>
  /** A request to `/execute` was answered. */
  answered(answer: CountedAnswer): void
  /** A handler was still running at its deadline. */
  overran(capability: string): void
}

/** The steps that wait for something, and `whole`: all of them, and what is between. */
export type StepName = 'whole' | 'look_up' | 'claim' | 'verify' | 'handler' | 'save' | 'settle'

/** What an answer is counted as. */
export interface CountedAnswer {
  /** As declared; left out where the request named none that is. */
  readonly capability?: string | undefined
  readonly outcome: AnswerOutcome
  readonly errorType?: ErrorType | undefined
}

/**
 * - `asked_to_pay`: the 402 that names the price
 * - `settled`: run here, and paid; `free`: run here, in dev mode
 * - `unpaid`: run here, its payment definitely failed
 * - `pending`: the settlement is not known yet
 * - `repeated`: answered by what another request for the job came to
 * - `refused`: the caller's to fix; `failed`: ours, the 500s
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

/** Where the runtime is looked into. Off, each part is what it was, and nothing is done. */
export interface MetricsRecorder {
  readonly metrics: AgentMetrics
  recordStore(store: JobStore): JobStore
  recordGate(gate: PaymentGate): PaymentGate
  recordSettlements(settlements: Settlements, leases: LeaseKeeper): Settlements
  /** Undefined where nothing is counted. */
  readonly source: MetricsSource | undefined
}

/** What is counted, to be read; prom-client's `Registry` is one. */
export interface MetricsSource {
  readonly contentType: string
  /** In Prometheus' text format. */
  metrics(): Promise<string>
  /** To be added to those of other processes. */
  getMetricsAsJSON(): Promise<readonly object[]>
}

/** Opens the place where metrics are read. */
export type OpenMetricsServer = (source: MetricsSource, address: MetricsAddress) => Promise<MetricsServer>

/** SERVICE_METRICS_HOST and SERVICE_METRICS_PORT. */
export interface MetricsAddress {
  readonly host: string
  readonly port: number
}

/** Where metrics are read. */
export interface MetricsServer {
  /** Undefined where another process serves them. */
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
