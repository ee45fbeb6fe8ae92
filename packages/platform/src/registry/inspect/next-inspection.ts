import type { Judgement } from './judge-inspection.ts'

/** For so long a refused agent is inspected again by itself: it may be just about to be deployed. */
const RETRIED_FOR_MS = 3_600_000

const FIRST_RETRY_MS = 15_000
const MAX_RETRY_MS = 900_000
/** An inspection that stumbled is repeated after this part of the usual time, at the latest after {@link RETRIED_FOR_MS}. */
const STUMBLED_PART = 24
const JITTER = 0.1

/**
 * When an agent is to be inspected next, in Unix milliseconds; undefined: when something happens to it. Every wait is
 * spread by a tenth each way, so that what was registered together is not read together for ever.
 */
export function nextInspection(
  { standing, problem }: Pick<Judgement, 'standing' | 'problem'>,
  at: {
    readonly nowMs: number
    readonly inspectedSinceMs: number
    /** In a row, this one included. */
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
