import type { Budget } from '../ledger/payment-ledger.ts'

const DAY_SECONDS = 86_400

/**
 * When a limit is used up at the pace of this UTC day, Unix seconds: the time since midnight, stretched from what is used
 * to the limit. Now where it is used up; undefined where there is no limit, nothing is used, or it lasts the day.
 */
export function expectedExhaustion({ used, limit }: Budget, nowSeconds: number): number | undefined {
  if (limit === undefined || used <= 0) return undefined
  if (used >= limit) return Math.floor(nowSeconds)
  const midnight = nowSeconds - (nowSeconds % DAY_SECONDS)
  const expected = Math.floor(midnight + ((nowSeconds - midnight) * limit) / used)
  return expected < midnight + DAY_SECONDS ? Math.max(expected, Math.floor(nowSeconds)) : undefined
}

/** Whole seconds until the next UTC midnight, 1 to 86,400: when daily limits begin again. */
export function secondsToMidnight(nowSeconds: number): number {
  return Math.ceil(DAY_SECONDS - (nowSeconds % DAY_SECONDS))
}
