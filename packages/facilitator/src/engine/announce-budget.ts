import type { HoldBudget } from '@farebox/payments/x402/facilitator-api'
import { nowSeconds } from '@farebox/protocol/time/clock'
import type { Budget, HoldOutcome } from '../ledger/payment-ledger.ts'
import { NEAR_LIMIT } from '../ledger/owner-ledger.ts'
import { expectedExhaustion, secondsToMidnight } from './daily-pace.ts'
import type { AuthenticatedCaller, Engine } from './engine.ts'
import { UnavailableError } from './refusal.ts'

/** The maximum number of owners whose announcement of today is remembered. */
const MAX_REMEMBERED = 10_000
const DAY_SECONDS = 86_400

/** Logs that a daily limit is nearly used up, and that it is used up: once for each day, owner and limit. */
export type AnnounceBudget = (caller: AuthenticatedCaller, outcome: HoldOutcome) => void

/** Creates the announcement of hold outcomes. */
export function createAnnounceBudget({ clock, log }: Pick<Engine, 'clock' | 'log'>): AnnounceBudget {
  const said = new Set<string>()
  return ({ owner }, outcome) => {
    if (outcome.kind !== 'held' && outcome.kind !== 'over-budget') return
    const { used, limit } = outcome.budget
    if (limit === undefined || used < NEAR_LIMIT * limit) return
    const isUsedUp = outcome.kind === 'over-budget'
    const now = nowSeconds(clock)
    const once = `${Math.floor(now / DAY_SECONDS)} ${isUsedUp} ${limit} ${owner}`
    if (said.has(once)) return
    if (said.size >= MAX_REMEMBERED) said.clear()
    said.add(once)
    const words = isUsedUp
      ? "an owner's settlements of today are used up"
      : "an owner's settlements of today are nearly used up"
    const expected = isUsedUp ? undefined : expectedExhaustion({ used, limit }, now)
    log.warn(words, {
      owner,
      used,
      limit,
      ...(expected !== undefined && { expectedAt: new Date(expected * 1_000).toISOString() }),
    })
  }
}

/** The budget that the agent gets with its hold; absent while the limit is far. */
export function nearBudget({ used, limit }: Budget, nowSeconds: number): { readonly budget?: HoldBudget } {
  if (limit === undefined || used < NEAR_LIMIT * limit) return {}
  const exhaustedAt = expectedExhaustion({ used, limit }, nowSeconds)
  return { budget: { used, limit, ...(exhaustedAt !== undefined && { exhaustedAt }) } }
}

/** The refusal when the limit is used up: the caller should retry when the UTC day has ended. */
export function usedUp({ limit }: Budget, nowSeconds: number): UnavailableError {
  return new UnavailableError(
    `the owner of this secret has used up its ${limit} settlements for today (UTC)`,
    secondsToMidnight(nowSeconds),
  )
}
