import type { Judgement } from './judge-inspection.ts'

/** How long a refused agent is inspected again automatically, because it may not have been deployed yet. */
const RETRIED_FOR_MS = 3_600_000

const FIRST_RETRY_MS = 15_000
const MAX_RETRY_MS = 900_000
/**
 * An inspection that found a problem is repeated after this fraction of the usual interval, at the latest after {@link
 * RETRIED_FOR_MS}.
 */
const STUMBLED_PART = 24
const JITTER = 0.1

/**
 * When an agent is to be inspected next, in Unix milliseconds; undefined when only an event triggers the next
 * inspection. Every wait varies by up to a tenth, so that agents registered together are not inspected together
 * forever.
 */
export function nextInspection(
  { standing, problem }: Pick<Judgement, 'standing' | 'problem'>,
  at: {
    readonly nowMs: number
    readonly inspectedSinceMs: number
    /** Consecutive failures, including this one. */
    readonly failures: number
    readonly refreshIntervalMs: number
    /** From 0 to 1. */
    readonly random: number
  },
): number | undefined {
  const spread = (ms: number): number => at.nowMs + Math.round(ms * (1 - JITTER + 2 * JITTER * at.random))
  if (standing === 'refused') {
    if (at.nowMs - at.inspectedSinceMs >= RETRIED_FOR_MS) return undefined
    return spread(Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(20, Math.max(0, at.failures - 1))))
  }
  if (standing !== 'listed' && standing !== 'provisional') return undefined
  if (problem === undefined) return spread(at.refreshIntervalMs)
  return spread(Math.min(RETRIED_FOR_MS, at.refreshIntervalMs / STUMBLED_PART))
}
