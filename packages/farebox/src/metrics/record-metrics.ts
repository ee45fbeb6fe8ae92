import type { Settlements } from '../settlements/settlements.ts'
import type { JobStore } from '../jobs/job-store.ts'
import type { PaymentGate } from '../payment-gate/payment-gate.ts'
import { createAgentInstruments, type AgentInstruments } from './agent-instruments.ts'
import type { AgentMetrics, MetricsRecorder } from './agent-metrics.ts'

/**
 * Records an agent's metrics. This module is loaded only when SERVICE_METRICS_PORT is set, because prom-client is
 * large.
 */
export function recordMetrics(): MetricsRecorder {
  const unknown = createUnknownPayments()
  let jobsHeld = (): number => 0
  let clockSkewSeconds = (): number => 0
  const instruments = createAgentInstruments({
    jobsHeld: () => jobsHeld(),
    settlementsUnknown: unknown.count,
    oldestUnknownSeconds: unknown.oldestSeconds,
    clockSkewSeconds: () => clockSkewSeconds(),
  })
  return {
    metrics: countJobs(instruments),
    recordStore: store => recordStore(instruments, store),
    recordGate(gate) {
      clockSkewSeconds = () => Math.abs(gate.clockAheadSeconds())
      return recordGate(instruments, gate, unknown)
    },
    recordSettlements(settlements, leases) {
      jobsHeld = () => leases.count()
      return recordSettlements(instruments, settlements, unknown)
    },
    source: instruments.registry,
  }
}

function countJobs({ answers, steps, overruns }: AgentInstruments): AgentMetrics {
  return {
    async step(step, work) {
      const stop = steps.startTimer({ step })
      try {
        return await work()
      } finally {
        stop()
      }
    },
    answered({ capability = '', outcome, errorType = '' }) {
      answers.inc({ capability, outcome, error_type: errorType })
    },
    overran: capability => overruns.inc({ capability }),
  }
}

/** The payments for which it is unknown whether they were charged (D8), with the time since when. */
interface UnknownPayments {
  add(key: string): void
  known(key: string): void
  count(): number
  oldestSeconds(): number
}

function createUnknownPayments(): UnknownPayments {
  const sinceMs = new Map<string, number>()
  return {
    add: key => void (sinceMs.has(key) || sinceMs.set(key, performance.now())),
    known: key => void sinceMs.delete(key),
    count: () => sinceMs.size,
    oldestSeconds() {
      // A Map iterates in insertion order, so the first entry is the oldest.
      const [oldestMs] = sinceMs.values()
      return oldestMs === undefined ? 0 : (performance.now() - oldestMs) / 1_000
    },
  }
}

function recordStore({ storeCalls, storeFailures }: AgentInstruments, store: JobStore): JobStore {
  const timed = async <T>(operation: string, work: Promise<T>): Promise<T> => {
    const stop = storeCalls.startTimer({ operation })
    try {
      return await work
    } catch (error) {
      storeFailures.inc({ operation })
      throw error
    } finally {
      stop()
    }
  }
  return {
    claim: claim => timed('claim', store.claim(claim)),
    read: jobKey => timed('read', store.read(jobKey)),
    write: (holder, change) => timed('write', store.write(holder, change)),
    unresolved: () => timed('unresolved', store.unresolved()),
  }
}

function recordGate(
  { facilitatorCalls }: AgentInstruments,
  gate: PaymentGate,
  unknown: UnknownPayments,
): PaymentGate {
  return {
    async verify(payment, terms) {
      const stop = facilitatorCalls.startTimer({ call: 'verify' })
      const outcome = await gate.verify(payment, terms)
      stop({ outcome: outcome.kind })
      return outcome
    },
    async findCharge(payment, terms) {
      const stop = facilitatorCalls.startTimer({ call: 'inquire' })
      const outcome = await gate.findCharge(payment, terms)
      stop({ outcome: outcome.kind })
      return outcome
    },
    async settle(payment) {
      const stop = facilitatorCalls.startTimer({ call: 'settle' })
      const outcome = await gate.settle(payment)
      stop({ outcome: outcome.kind })
      if (outcome.kind === 'unknown') unknown.add(payment.key)
      else unknown.known(payment.key)
      return outcome
    },
    async release(hold, terms) {
      const stop = facilitatorCalls.startTimer({ call: 'release' })
      await gate.release(hold, terms)
      stop({ outcome: 'asked' })
    },
    clockAheadSeconds: () => gate.clockAheadSeconds(),
  }
}

function recordSettlements(
  { settling, settlementsOpen }: AgentInstruments,
  settlements: Settlements,
  unknown: UnknownPayments,
): Settlements {
  return {
    waitMs: settlements.waitMs,
    stop: () => settlements.stop(),
    async resume(held) {
      const key = held.job.state === 'saved' ? held.job.payment.key : ''
      const stop = settling.startTimer()
      settlementsOpen.inc()
      try {
        const known = await settlements.resume(held)
        stop({ outcome: known?.state ?? 'left' })
        return known
      } finally {
        settlementsOpen.dec()
        unknown.known(key)
      }
    },
  }
}
