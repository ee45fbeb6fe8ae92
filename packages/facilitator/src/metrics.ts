import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** What an operator watches; see docs/operating-the-facilitator.md for thresholds. */
export interface Metrics {
  readonly registry: Registry
  /** By route and outcome: `valid`, `settled`, or an x402 error name of ours. */
  readonly answers: Counter<'route' | 'outcome'>
  readonly durations: Histogram<'route'>
  /** Payments the chain decided, by outcome: settled or failed. */
  readonly settlements: Counter<'outcome'>
  readonly batchSize: Histogram
  readonly holdsOpen: Gauge
  readonly holdsAtomic: Gauge
  /** Captured or submitted: charged by the agent, not yet proven. */
  readonly settlementsPending: Gauge
  readonly relayerBalanceWei: Gauge
  /** How many settlements the relayer's balance is good for. */
  readonly relayerSettlementsLeft: Gauge
  /** Our clock minus the time of the chain's head. */
  readonly chainLagSeconds: Gauge
  readonly ledgerMismatches: Counter<'kind'>
}

/** Makes the metrics of one facilitator, in a registry of its own. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'farebox_facilitator_' })
  const gauge = (name: string, help: string): Gauge =>
    new Gauge({ name: `farebox_facilitator_${name}`, help, registers })
  return {
    registry,
    answers: new Counter({
      name: 'farebox_facilitator_answers_total',
      help: 'Answers by route and outcome',
      labelNames: ['route', 'outcome'],
      registers,
    }),
    durations: new Histogram({
      name: 'farebox_facilitator_duration_seconds',
      help: 'Time to answer, by route',
      labelNames: ['route'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
      registers,
    }),
    settlements: new Counter({
      name: 'farebox_facilitator_settlements_total',
      help: 'Payments the chain decided',
      labelNames: ['outcome'],
      registers,
    }),
    batchSize: new Histogram({
      name: 'farebox_facilitator_batch_size',
      help: 'Payments in one transaction',
      buckets: [1, 2, 5, 10, 20, 50, 100],
      registers,
    }),
    holdsOpen: gauge('holds_open', 'Payments held'),
    holdsAtomic: gauge('holds_atomic', 'Sum of the payments held, in atomic units'),
    settlementsPending: gauge('settlements_pending', 'Payments captured or submitted and not yet decided'),
    relayerBalanceWei: gauge('relayer_balance_wei', 'Balance of the relayer account'),
    relayerSettlementsLeft: gauge('relayer_settlements_left', 'Settlements the relayer can pay the gas of'),
    chainLagSeconds: gauge('chain_lag_seconds', 'Our clock minus the time of the newest block'),
    ledgerMismatches: new Counter({
      name: 'farebox_facilitator_ledger_mismatches_total',
      help: 'Rows the reconciler found to disagree with the chain, by kind',
      labelNames: ['kind'],
      registers,
    }),
  }
}
