import type { HoldBudget } from '@farebox/payments/x402/facilitator-api'
import { nowSeconds } from '@farebox/server/clock'
import type { Budget, HoldOutcome } from '../ledger/payment-ledger.ts'
import type { AuthenticatedCaller, Engine } from './engine.ts'

/** From this part of a limit on it is announced, so that it does not bite unannounced. */
const NEAR = 0.8
/** Owners whose announcement of today is remembered. */
const MAX_REMEMBERED = 10_000
const DAY_SECONDS = 86_400

/** Says in the log, once a day and owner for each, that a daily limit is nearly used up, and that it is. */
export type AnnounceBudget = (caller: AuthenticatedCaller, outcome: HoldOutcome) => void

/** Makes the announcement of {@link Engine}'s outcomes. */
export function createAnnounceBudget({ clock, log }: Pick<Engine, 'clock' | 'log'>): AnnounceBudget {
  const said = new Set<string>()
  return ({ owner }, outcome) => {
    if (outcome.kind !== 'held' && outcome.kind !== 'over-budget') return
    const { used, limit } = outcome.budget
    if (limit === undefined || used < NEAR * limit) return
    const isUsedUp = outcome.kind === 'over-budget'
    const day = Math.floor(nowSeconds(clock) / DAY_SECONDS)
    const once = `${day} ${isUsedUp} ${owner}`
    if (said.has(once)) return
    if (said.size >= MAX_REMEMBERED) said.clear()
    said.add(once)
    const words = isUsedUp
      ? "an owner's settlements of today are used up"
      : "an owner's settlements of today are nearly used up"
    log.warn(words, { owner, used, limit })
  }
}

/** What the agent hears of it with its hold: nothing while it is far. */
export function nearBudget({ used, limit }: Budget): { readonly budget?: HoldBudget } {
  return limit === undefined || used < NEAR * limit ? {} : { budget: { used, limit } }
}
