import { createProvePayment } from '../jobs/quote/prove-payment.ts'
import { describeError } from '@farebox/server/log'
import { forgetPaymentProblem, notePaymentProblem } from '../owners/payment-problem.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { startLoops, type Background } from '../work/loop.ts'
import { startWorker } from '../work/worker.ts'
import { endCanary, enrollAgents, takeDueCanaries, type DueCanary } from './canary-store.ts'
import { canarySigner, runCanary, type CanaryEnd, type CanaryMeans } from './run-canary.ts'

/** How often an agent is tried, and how often somebody looks whose turn it is. */
export interface CanaryOptions {
  /** Default a day. */
  readonly everyMs?: number
  /** Default a tenth of the time between two checks of an agent: a minute. */
  readonly roundMs?: number
  /** At a time; default 10. */
  readonly atOnce?: number
}

const EVERY_MS = 86_400_000
const AT_ONCE = 10
/** New agents have their first turn within so many checks: an hour. */
const FIRST_WITHIN_CHECKS = 6
/** Turns drift apart by up to a tenth, so that no hour of the day is crowded for good. */
const JITTER = 0.1
/** An agent that is offline, or a day without money: looked at again before the next day. */
const SKIPPED_AGAIN_MS = 3_600_000

/**
 * Tries every agent that can be paid with a real job, once a day, within the budget; where there is no key or no
 * budget, nothing. The jobs themselves are sent by `startJobs`.
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
    log.error('a round of the daily jobs failed', { error: describeError(error) })
  const enroll = (): Promise<void> =>
    enrollAgents(database, { nowMs: clock.nowMs(), withinMs: checkIntervalMs * FIRST_WITHIN_CHECKS })
  const enrolling = startLoops(clock, [{ pauseMs: checkIntervalMs, pass: enroll, onFailure }])
  const trying = startWorker<DueCanary>(clock, {
    slots: atOnce,
    // A round takes at most so many, however many are due.
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
    // What was cut short is taken up again when its lease is over.
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
    parts.log.error('a daily job was not made', { agent: due.agentId, error: describeError(error) })
  }
}

function nextRun({ outcome, expiresAtMs }: CanaryEnd, nowMs: number, everyMs: number): number {
  if (outcome === 'running' && expiresAtMs !== undefined) return expiresAtMs
  if (outcome === 'skipped') return nowMs + Math.min(SKIPPED_AGAIN_MS, everyMs)
  return nowMs + everyMs * (1 + JITTER * (Math.random() - 0.5))
}
