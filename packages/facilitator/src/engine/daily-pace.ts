import type { Budget } from '../ledger/payment-ledger.ts'

const DAY_SECONDS = 86_400

/**
 * When a limit will be used up at today's pace, Unix seconds: the time since UTC midnight is extrapolated from the used part
 * to the limit. Now if it is used up already; undefined when there is no limit, nothing is used, or the limit lasts the day.
 */
export function expectedExhaustion({ used, limit }: Budget, nowSeconds: number): number | undefined {
  if (limit === undefined || used <= 0) return undefined
  if (used >= limit) return Math.floor(nowSeconds)
  const midnight = nowSeconds - (nowSeconds % DAY_SECONDS)
  const expected = Math.floor(midnight + ((nowSeconds - midnight) * limit) / used)
  return expected < midnight + DAY_SECONDS ? Math.max(expected, Math.floor(nowSeconds)) : undefined
}

/** Whole seconds until the next UTC midnight, 1 to 86,400: when daily limits are reset. */
export function secondsToMidnight(nowSeconds: number): number {
  return Math.ceil(DAY_SECONDS - (nowSeconds % DAY_SECONDS))
}
