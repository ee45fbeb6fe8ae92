import { createProvePayment } from '../jobs/quote/prove-payment.ts'
import { describeError } from '@farebox/server/log'
import { forgetPaymentProblem, notePaymentProblem } from '../owners/payment-problem.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { startLoops, type Background } from '../work/loop.ts'
import { startWorker } from '../work/worker.ts'
import { endCanary, enrollAgents, takeDueCanaries, type DueCanary } from './canary-store.ts'
import { canarySigner, runCanary, type CanaryEnd, type CanaryMeans } from './run-canary.ts'

/** Intervals and concurrency of canary jobs. */
export interface CanaryOptions {
  /** The time between two canary jobs of an agent. Default: a day. */
  readonly everyMs?: number
  /** The time between two rounds. Default: a tenth of the health check interval, which is a minute. */
  readonly roundMs?: number
  /** The most jobs at a time. Default 10. */
  readonly atOnce?: number
}

const EVERY_MS = 86_400_000
const AT_ONCE = 10
/** The first job of a new agent is scheduled within this many check intervals: an hour. */
const FIRST_WITHIN_CHECKS = 6
/** The interval varies randomly by this share, so that jobs do not stay bunched at one hour of the day. */
const JITTER = 0.1
/** The delay after a skipped job, for example when the agent is offline or the day's budget is spent. */
const SKIPPED_AGAIN_MS = 3_600_000

/**
 * Tries every payable agent with a real job once a day, within the budget. Does nothing without a key or a budget. The jobs
 * themselves are sent by `startJobs`.
 */
export function startCanary(parts: PlatformParts, options: CanaryOptions = {}): Background {
  const { canaryKey, canaryBudgetAtomic: budgetAtomic } = parts.settings
  if (canaryKey === undefined || budgetAtomic === 0n) return { stop: () => Promise.resolve() }
  const { checkIntervalMs } = parts.settings
  const { everyMs = EVERY_MS, roundMs = Math.max(checkIntervalMs / 10, 50), atOnce = AT_ONCE } = options
  const means = {
    signer: canarySigner(parts, canaryKey),
    budgetAtomic,
    provePayment: createProvePayment(parts),
  }
  const { database, clock, log } = parts
  const onFailure = (error: unknown): void =>
    log.error('a round of daily jobs failed', { error: describeError(error) })
  const enroll = (): Promise<void> =>
    enrollAgents(database, { nowMs: clock.nowMs(), withinMs: checkIntervalMs * FIRST_WITHIN_CHECKS })
  const enrolling = startLoops(clock, [{ pauseMs: checkIntervalMs, pass: enroll, onFailure }])
  const trying = startWorker<DueCanary>(clock, {
    slots: atOnce,
    // A round takes at most `atOnce` agents, however many are due.
    pace: { pollMs: 0, idleMs: 0 },
    gatherMs: roundMs,
    take: ({ limit }) => takeDueCanaries(database, { nowMs: clock.nowMs(), limit }),
    work: (due, { signal }) => tryAgent(parts, means, due, { signal, everyMs }),
    onFailure,
  })
  return {
    async stop() {
      await Promise.all([enrolling.stop(), trying.stop()])
    },
  }
}

async function tryAgent(
  parts: PlatformParts,
  means: CanaryMeans,
  due: DueCanary,
  { signal, everyMs }: { readonly signal: AbortSignal; readonly everyMs: number },
): Promise<void> {
  try {
    const end = await runCanary(parts, means, due, signal)
    // An interrupted job is taken up again when its lease ends.
    if (signal.aborted && end.outcome !== 'ok') return
    const { agentId } = due
    const { outcome, reason, endsPayable } = end
    parts.log.info('daily job', { agent: agentId, outcome, reason })
    const nowMs = parts.clock.nowMs()
    if (outcome === 'ok') await forgetPaymentProblem(parts.database, agentId)
    if (endsPayable === true) {
      const problem = `the platform's daily job failed: ${reason ?? 'no reason is known'}`
      await notePaymentProblem(parts.database, agentId, { reason: problem, nowMs })
    }
    await endCanary(parts.database, agentId, {
      outcome: outcome === 'running' ? undefined : outcome,
      reason,
      nowMs,
      nextRunAtMs: nextRun(end, nowMs, everyMs),
    })
  } catch (error) {
    parts.log.error('could not carry out a daily job', { agent: due.agentId, error: describeError(error) })
  }
}

function nextRun({ outcome, expiresAtMs }: CanaryEnd, nowMs: number, everyMs: number): number {
  if (outcome === 'running' && expiresAtMs !== undefined) return expiresAtMs
  if (outcome === 'skipped') return nowMs + Math.min(SKIPPED_AGAIN_MS, everyMs)
  return nowMs + everyMs * (1 + JITTER * (Math.random() - 0.5))
}
