import type { Clock } from '@farebox/protocol/time/clock'
import type { SignedOrder, OrderJournal } from '../../kept/order.ts'
import type { FollowJob } from '../../orders/follow-order.ts'
import type { Ask } from '../../site/ask.ts'
import type { CheckoutState } from './checkout-state.ts'

/** Longer than the platform answers with a balance that it has read before. */
const BALANCE_KEPT_MS = 1_500

/** The parts of an order that a page loads when it needs them. */
export interface OrderParts {
  readonly journal: OrderJournal
  readonly followJob: FollowJob
  readonly clock: Clock
}

/** Loads them, each time the same. */
export type LoadOrderParts = () => Promise<OrderParts>

/** The platform and the wallet balance, for an order that is followed. */
export interface FollowerDependencies {
  readonly ask: Ask
  readonly loadParts: LoadOrderParts
  /** Reads the balance of the wallet again. */
  readonly refreshBalance: () => void
}

/** Sends and follows one order at a time. */
export interface Follower {
  /** Follows this order, and no longer the one before. */
  follow(order: SignedOrder): void
  end(): void
}

/**
 * Makes the follower of a form's orders, which writes what it learns to the state. Where an order cannot be followed, the
 * state keeps what was known last; the journal has the order.
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
      // The first answer may be the balance from before the payment.
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
