import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** All metrics of an agent except Node's own; docs/metrics.md lists them. */
export type AgentInstruments = ReturnType<typeof createAgentInstruments>

const PREFIX = 'farebox_agent_'
/** Seconds, from a claim in memory to a handler that takes five minutes. */
const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** Values that are read when metrics are requested, and not counted. */
export interface AgentReadings {
  jobsHeld(): number
  settlementsUnknown(): number
  oldestUnknownSeconds(): number
  clockSkewSeconds(): number
}

/**
 * Makes the metrics, in a separate registry. Label values are fixed by this code or the declaration, never by a caller.
 */
export function createAgentInstruments(readings: AgentReadings) {
  const registry = new Registry()
  // Each sample wakes the process: at the default of 10 ms that was most of the CPU time of an idle process.
  collectDefaultMetrics({ register: registry, prefix: PREFIX, eventLoopMonitoringPrecision: 50 })
  return {
    registry,
    ...jobInstruments([registry], readings),
    ...moneyInstruments([registry], readings),
    ...storeInstruments([registry]),
  }
}

function jobInstruments(registers: Registry[], readings: AgentReadings) {
  return {
    answers: new Counter({
      name: `${PREFIX}jobs_total`,
      help: 'Requests to /execute that were answered, by capability, outcome and error_type',
      labelNames: ['capability', 'outcome', 'error_type'],
      registers,
    }),
    steps: new Histogram({
      name: `${PREFIX}step_seconds`,
      help: 'How long the steps of a job took, however they ended',
      labelNames: ['step'],
      buckets: DURATIONS,
      registers,
    }),
    overruns: new Counter({
      name: `${PREFIX}handler_overruns_total`,
      help: 'Handlers that were still running at their deadline',
      labelNames: ['capability'],
      registers,
    }),
    jobsHeld: new Gauge({
      name: `${PREFIX}jobs_held`,
      help: 'Jobs this agent works on now, those that are being settled included',
      registers,
      collect() {
        this.set(readings.jobsHeld())
      },
    }),
  }
}

function moneyInstruments(registers: Registry[], readings: AgentReadings) {
  return {
    settlementsOpen: new Gauge({
      name: `${PREFIX}settlements_open`,
      help: 'Settlements that are being seen through now',
      registers,
    }),
    settlementsUnknown: new Gauge({
      name: `${PREFIX}settlements_unknown`,
      help: 'Settlements of which it was asked at least once, and it is not known whether they were charged',
      registers,
      collect() {
        this.set(readings.settlementsUnknown())
      },
    }),
    oldestUnknown: new Gauge({
      name: `${PREFIX}settlements_unknown_oldest_seconds`,
      help: 'Since when the oldest of them is not known; 0 where there is none',
      aggregator: 'max' as const,
      registers,
      collect() {
        this.set(readings.oldestUnknownSeconds())
      },
    }),
    clockSkew: new Gauge({
      name: `${PREFIX}clock_skew_seconds`,
      help: "By how much this agent's clock differs from its facilitator's, either way; 0 where they agree within 5 s",
      aggregator: 'max' as const,
      registers,
      collect() {
        this.set(readings.clockSkewSeconds())
      },
    }),
    settling: new Histogram({
      name: `${PREFIX}settlement_seconds`,
      help: 'From the saved response to its proven or refused payment; left: stopped, or another process has it',
      labelNames: ['outcome'],
      buckets: DURATIONS,
      registers,
    }),
    facilitatorCalls: new Histogram({
      name: `${PREFIX}facilitator_seconds`,
      help: 'How long the facilitator took to answer, by call and what it said',
      labelNames: ['call', 'outcome'],
      buckets: DURATIONS,
      registers,
    }),
  }
}

function storeInstruments(registers: Registry[]) {
  return {
    storeCalls: new Histogram({
      name: `${PREFIX}store_seconds`,
      help: 'How long the job store took, by operation',
      labelNames: ['operation'],
      buckets: DURATIONS,
      registers,
    }),
    storeFailures: new Counter({
      name: `${PREFIX}store_failures_total`,
      help: 'Operations the job store did not do',
      labelNames: ['operation'],
      registers,
    }),
  }
}
