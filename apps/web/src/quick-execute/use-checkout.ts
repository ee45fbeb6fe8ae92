import type { JsonObject } from '@farebox/protocol/fields/field'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { SignedOrder } from '../kept/order.ts'
import { usePurse } from '../purse/purse-context.ts'
import { useSite } from '../site/site.ts'
import { createCheckout, type Checkout } from './checkout/checkout.ts'
import type { CheckoutValue } from './checkout/checkout-state.ts'
import type { OrderParts } from './checkout/follower.ts'
import type { Orderable } from './checkout/prepare-order.ts'

/** The orders of a form, and the actions of the page on them. */
export interface FormCheckout extends CheckoutValue, Pick<Checkout, 'reset' | 'showOrder'> {
  /** Pays for a job and runs it, at the price of the orderable or at a changed price that the reader has agreed to. */
  readonly pay: (input: JsonObject, agreedPrice?: string) => void
  readonly check: (input: JsonObject) => void
  readonly retry: (order: SignedOrder, input: JsonObject) => void
}

/** Orders a capability, using a {@link Checkout} for this component with the page's platform and wallet. */
export function useCheckout(orderable: Orderable): FormCheckout {
  const { ask, platform } = useSite()
  const { wallet, connect, refresh } = usePurse()
  // These dependencies stay the same while the page is open.
  const [checkout] = useState(() =>
    createCheckout({
      ask,
      platform,
      connect,
      refreshBalance: refresh,
      loadParts,
    }),
  )
  const value = useSyncExternalStore(checkout.subscribe, checkout.get, checkout.get)
  useEffect(() => checkout.forgetStop(), [checkout, wallet?.address])
  const { reset, showOrder } = checkout
  return {
    ...value,
    reset,
    showOrder,
    pay: (input, agreedPrice = orderable.price) => checkout.pay({ ...orderable, price: agreedPrice }, input),
    check: input => checkout.check(orderable.fields, input),
    retry: (order, input) => checkout.retry(order, orderable.fields, input),
  }
}

async function loadParts(): Promise<OrderParts> {
  const [{ orderJournal }, { followJob }, { systemClock }] = await Promise.all([
    import('../kept/order-store.ts'),
    import('../orders/follow-job.ts'),
    import('@farebox/protocol/time/clock'),
  ])
  return { journal: orderJournal, followJob, clock: systemClock }
}
