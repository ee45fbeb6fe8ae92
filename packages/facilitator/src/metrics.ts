import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { LedgerTotals, PoolUse } from './ledger/ledger.ts'
import type { NearLimits } from './ledger/owner-ledger.ts'

/** The metrics of a facilitator; docs/metrics.md explains them all. */
export type Metrics = ReturnType<typeof createFacilitatorMetrics>

/** Values read at each scrape; when one is undefined, its gauge has no value. */
export interface MetricSources {
  totals(): Promise<LedgerTotals | undefined>
  /** Owners that have used most of today's limit, or all of it. */
  nearLimits(): Promise<NearLimits | undefined>
  pool(): PoolUse | undefined
  /** Our clock minus the time of the newest block that was seen. */
  lagSeconds(): number
  /** How many blocks the node reports to be behind the network. */
  blocksBehind(): Promise<number | undefined>
  relayers(): Promise<readonly RelayerReading[] | undefined>
}

/** The state of a relayer account, from the chain and the ledger. */
export interface RelayerReading {
  /** Lower-case address. */
  readonly relayer: string
  /** Number of transactions in flight. */
  readonly open: number
  /**
   * Nonces between the account's next one and the first of our transactions in flight: with a gap, none of them can be
   * mined.
   */
  readonly nonceGap: number
}

const PREFIX = 'farebox_facilitator_'

/** Creates the metrics of one facilitator, in a registry of its own. No label takes a value from outside. */
export function createFacilitatorMetrics(sources: () => MetricSources | undefined = () => undefined) {
  const registry = new Registry()
  // Each sample wakes the process: at the default of 10 ms the samples were most of the CPU time of an idle process.
  collectDefaultMetrics({ register: registry, prefix: PREFIX, eventLoopMonitoringPrecision: 50 })
  return {
    registry,
    ...answerMetrics([registry]),
    ...paymentMetrics([registry]),
    ...transactionMetrics([registry]),
    ...ledgerGauges([registry], sources),
    ...chainGauges([registry], sources),
  }
}

function answerMetrics(registers: Registry[]) {
  return {
    answers: new Counter({
      name: `${PREFIX}answers_total`,
      help: 'Answers by route and outcome: valid, settled, released, or the x402 name of the refusal',
      labelNames: ['route', 'outcome'],
      registers,
    }),
    durations: new Histogram({
      name: `${PREFIX}duration_seconds`,
      help: 'Time to answer, by route',
      labelNames: ['route'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
      registers,
    }),
  }
}

function paymentMetrics(registers: Registry[]) {
  return {
    payments: new Counter({
      name: `${PREFIX}payments_total`,
      help: 'Payments that came to a state by this process, with the x402 name of why they failed',
      labelNames: ['state', 'reason'],
      registers,
    }),
    ledgerMismatches: new Counter({
      name: `${PREFIX}ledger_mismatches_total`,
      help: 'Rows that were found to disagree with the chain and were corrected, by kind',
      labelNames: ['kind'],
      registers,
    }),
    paymentsLost: new Counter({
      name: `${PREFIX}payments_lost_total`,
      help: 'Payments that were proven, then undone by a reorganisation, and can never be made again: delivered unpaid',
      registers,
    }),
    lostAtomic: new Counter({
      name: `${PREFIX}payments_lost_atomic_total`,
      help: 'Sum of the payments lost, in atomic units',
      registers,
    }),
    reorganisations: new Counter({
      name: `${PREFIX}reorganisations_total`,
      help: 'Times that blocks seen before were replaced by others',
      registers,
    }),
    comparisons: new Counter({
      name: `${PREFIX}ledger_comparisons_total`,
      help: 'Comparisons of ledger and chain: done, or failed because one of them gave no answer',
      labelNames: ['outcome'],
      registers,
    }),
    comparedAt: new Gauge({
      name: `${PREFIX}ledger_compared_timestamp_seconds`,
      help: 'When ledger and chain were last compared',
      aggregator: 'max',
      registers,
    }),
  }
}

function transactionMetrics(registers: Registry[]) {
  return {
    transactions: new Counter({
      name: `${PREFIX}transactions_total`,
      help: 'Transactions by what happened to them: saved, fees_raised, refused by the node, mined, reverted, dropped',
      labelNames: ['outcome'],
      registers,
    }),
    batchSize: new Histogram({
      name: `${PREFIX}batch_size`,
      help: 'Payments in one transaction',
      buckets: [1, 2, 5, 10, 20, 50, 100],
      registers,
    }),
    unattended: new Gauge({
      name: `${PREFIX}transactions_unattended`,
      help: 'Open transactions of relayer accounts that no process sends from, at the last comparison',
      aggregator: 'max',
      registers,
    }),
    gasUsed: new Counter({
      name: `${PREFIX}gas_used_total`,
      help: 'Gas that mined transactions used',
      registers,
    }),
    gasPaidEther: new Counter({
      name: `${PREFIX}gas_paid_ether_total`,
      help: 'What that gas cost',
      registers,
    }),
  }
}

function ledgerGauges(registers: Registry[], sources: () => MetricSources | undefined) {
  const gauge = (name: string, help: string, read: () => Promise<number | undefined>): Gauge =>
    new Gauge({
      name: PREFIX + name,
      help,
      registers,
      async collect() {
        setOrRemove(this, await read())
      },
    })
  const ofTotals = (name: string, help: string, read: (totals: LedgerTotals) => number): Gauge =>
    gauge(name, help, async () => {
      const totals = await sources()?.totals()
      return totals && read(totals)
    })
  return {
    // Read before the other gauges, whose own queries would count as waiting.
    connections: new Gauge({
      name: `${PREFIX}database_connections`,
      help: 'Connections to the database: open, idle among them, and requests waiting for one',
      labelNames: ['state'],
      registers,
      collect() {
        this.reset()
        for (const [state, count] of Object.entries(sources()?.pool() ?? {})) this.set({ state }, count)
      },
    }),
    holdsOpen: ofTotals('holds_open', 'Payments held', totals => totals.held),
    holdsAtomic: ofTotals('holds_atomic', 'Sum of the payments held, in atomic units', totals =>
      Number(totals.heldAtomic),
    ),
    settlementsPending: ofTotals(
      'settlements_pending',
      'Payments captured or submitted and not yet decided',
      totals => totals.captured + totals.submitted,
    ),
    oldestPending: ofTotals(
      'settlements_pending_oldest_seconds',
      'How long the oldest of them has been waiting; 0 where there is none',
      totals => totals.oldestPendingSeconds ?? 0,
    ),
    ledgerReachable: new Gauge({
      name: `${PREFIX}ledger_reachable`,
      help: 'Whether the ledger answered when these metrics were asked for: 1, or 0',
      registers,
      async collect() {
        this.set((await sources()?.totals()) === undefined ? 0 : 1)
      },
    }),
    ownersNearLimit: gauge(
      'owners_near_limit',
      'Owners that have used four fifths of their settlements of this UTC day, and not all',
      async () => (await sources()?.nearLimits())?.near,
    ),
    ownersAtLimit: gauge(
      'owners_at_limit',
      'Owners that have used up their settlements of this UTC day: their new payments are refused',
      async () => (await sources()?.nearLimits())?.at,
    ),
  }
}

function chainGauges(registers: Registry[], sources: () => MetricSources | undefined) {
  return {
    relayerBalanceEther: new Gauge({
      name: `${PREFIX}relayer_balance_ether`,
      help: 'Balance of each relayer account',
      labelNames: ['relayer'],
      registers,
    }),
    relayerSettlementsLeft: new Gauge({
      name: `${PREFIX}relayer_settlements_left`,
      help: 'Settlements that each relayer account can pay the gas of',
      labelNames: ['relayer'],
      registers,
    }),
    relayerOpen: new Gauge({
      name: `${PREFIX}relayer_transactions_open`,
      help: 'Transactions in flight of each relayer account that this process sends from',
      labelNames: ['relayer'],
      registers,
      async collect() {
        this.reset()
        for (const { relayer, open } of (await sources()?.relayers()) ?? []) this.set({ relayer }, open)
      },
    }),
    relayerNonceGap: new Gauge({
      name: `${PREFIX}relayer_nonce_gap`,
      help: 'Nonces missing before the first transaction in flight: with any, none of them can be mined',
      labelNames: ['relayer'],
      registers,
      async collect() {
        this.reset()
        for (const { relayer, nonceGap } of (await sources()?.relayers()) ?? [])
          this.set({ relayer }, nonceGap)
      },
    }),
    chainLagSeconds: new Gauge({
      name: `${PREFIX}chain_lag_seconds`,
      help: 'Our clock minus the time of the newest block seen',
      registers,
      collect() {
        setOrRemove(this, sources()?.lagSeconds())
      },
    }),
    chainBlocksBehind: new Gauge({
      name: `${PREFIX}chain_blocks_behind`,
      help: 'How far the node says it is behind (eth_syncing)',
      registers,
      async collect() {
        setOrRemove(this, await sources()?.blocksBehind())
      },
    }),
    nodeReachable: new Gauge({
      name: `${PREFIX}node_reachable`,
      help: 'Whether the node answered when these metrics were asked for: 1, or 0',
      registers,
      async collect() {
        this.set((await sources()?.blocksBehind()) === undefined ? 0 : 1)
      },
    }),
  }
}

/** A value that cannot be read is absent: an alert on the last one would never end, or never fire. */
function setOrRemove(gauge: Gauge, value: number | undefined): void {
  if (value === undefined) gauge.remove()
  else gauge.set(value)
}
