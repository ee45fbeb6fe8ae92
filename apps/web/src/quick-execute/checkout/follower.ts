import type { Clock } from '@farebox/protocol/time/clock'
import type { SignedOrder, OrderJournal } from '../../kept/order.ts'
import type { FollowJob } from '../../orders/follow-order.ts'
import type { Ask } from '../../site/ask.ts'
import type { CheckoutState } from './checkout-state.ts'

/** Longer than the platform serves a cached balance. */
const BALANCE_KEPT_MS = 1_500

/** The modules for orders, which a page loads when it needs them. */
export interface OrderParts {
  readonly journal: OrderJournal
  readonly followJob: FollowJob
  readonly clock: Clock
}

/** Loads the modules; every call resolves to the same ones. */
export type LoadOrderParts = () => Promise<OrderParts>

/** The dependencies of a follower. */
export interface FollowerDependencies {
  readonly ask: Ask
  readonly loadParts: LoadOrderParts
  /** Reads the balance of the wallet again. */
  readonly refreshBalance: () => void
}

/** Sends and follows one order at a time. */
export interface Follower {
  /** Follows this order instead of the previous one. */
  follow(order: SignedOrder): void
  end(): void
}

/**
 * Creates the follower of a form's orders, which writes each new state of the order. If an order cannot be followed, the
 * last known state remains, and the order is still in the journal.
 */
export function createFollower(
  { ask, loadParts, refreshBalance }: FollowerDependencies,
  state: CheckoutState,
): Follower {
  let following = new AbortController()
  const end = (): void => following.abort(new Error('the order is no longer followed'))
  const follow = async (order: SignedOrder, signal: AbortSignal): Promise<void> => {
    const [{ followOrder }, parts] = await Promise.all([import('../../orders/follow-order.ts'), loadParts()])
    let isCharged = order.job?.charged === true
    const change = (known: SignedOrder): void => {
      state.learn(known)
      if (isCharged || known.job?.charged !== true) return
      isCharged = true
      refreshBalance()
      // The first answer may still be the balance from before the payment.
      parts.clock.after(BALANCE_KEPT_MS, refreshBalance)
    }
    const on = { change, unanswered: () => state.countUnanswered() }
    await followOrder({ ask, ...parts }, order, on, signal)
  }
  return {
    follow(order) {
      end()
      following = new AbortController()
      follow(order, following.signal).catch(() => undefined)
    },
    end,
  }
}
