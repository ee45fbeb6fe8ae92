import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import type { SignedOrder } from '../../kept/order.ts'
import { explainStop } from '../../orders/explain-stop.ts'
import { createAction } from '../../site/action.ts'
import { createFollower, type FollowerDependencies } from './follower.ts'
import {
  createCheckoutState,
  type Execution,
  type CheckoutState,
  type CheckoutValue,
} from './checkout-state.ts'
import type { Orderable, PreparingDependencies } from './prepare-order.ts'

/** The platform, the wallet and the journal used by a form. */
export type CheckoutDependencies = PreparingDependencies & FollowerDependencies

/** The orders of one form. At most one order at a time is prepared or sent again, and one is followed. */
export interface Checkout {
  get(): CheckoutValue
  /**
   * Calls back after each change until the returned function is called, which also stops all work. One listener at a time.
   */
  subscribe(changed: () => void): () => void
  /** Checks the input, signs for the price that the orderable shows, and runs the job. */
  pay(orderable: Orderable, input: JsonObject): void
  /** Only checks the input. */
  check(fields: FieldMap, input: JsonObject): void
  /** Returns to the form. A job that was ordered continues to run. */
  reset(): void
  /** Clears the reason why nothing was sent, because another wallet may be able to pay. */
  forgetStop(): void
  /** Shows an order of the journal, and follows it. */
  showOrder(order: SignedOrder): void
  /** Sends a failed job again with the same payment, without a new signature. */
  retry(order: SignedOrder, fields: FieldMap, input: JsonObject): void
}

/** Creates the checkout of one form, without an order. */
export function createCheckout(dependencies: CheckoutDependencies): Checkout {
  const state = createCheckoutState()
  const follower = createFollower(dependencies, state)
  const action = createAction()
  let isOpen = false
  const follow = (execution: Execution): void => {
    if (isOpen && execution.step === 'ordered') follower.follow(execution.order)
  }
  const show = (execution: Execution): void => {
    state.say(execution)
    follow(execution)
  }
  /** Does nothing while other work is in progress. The result is dropped if the listener has unsubscribed meanwhile. */
  const start = (work: (signal: AbortSignal) => Promise<Execution | undefined>): void => {
    const run = async (signal: AbortSignal): Promise<() => void> => {
      const execution = await work(signal).catch(stopFor)
      return () => execution && show(execution)
    }
    action.start(run, String)
  }
  return {
    get: state.get,
    subscribe(changed) {
      const unlisten = state.listen(changed)
      const close = action.open(() => undefined)
      isOpen = true
      follow(state.get().execution)
      return () => {
        isOpen = false
        unlisten()
        close()
        follower.end()
        state.leave('preparing')
      }
    },
    pay: (orderable, input) => start(signal => payFor(dependencies, state, { orderable, input }, signal)),
    check: (fields, input) => void checkTyped(state, fields, input).catch(() => undefined),
    reset: () => state.say({ step: 'idle' }),
    forgetStop: () => state.leave('stopped'),
    showOrder: order => show(ordered(order, false)),
    retry: (order, fields, input) =>
      start(signal => sendAgain(dependencies, state, { order, fields, input }, signal)),
  }
}

function stopFor(error: unknown): Execution {
  return { step: 'stopped', ...explainStop(error) }
}

function ordered(order: SignedOrder, isFresh: boolean): Execution {
  return { step: 'ordered', order, unanswered: 0, isFresh }
}

/**
 * Prepares an order. Resolves to the signed order, or to the reason why there is none; undefined when the input is refused.
 */
async function payFor(
  dependencies: CheckoutDependencies,
  state: CheckoutState,
  { orderable, input }: { readonly orderable: Orderable; readonly input: JsonObject },
  signal: AbortSignal,
): Promise<Execution | undefined> {
  const begin = (words: string): void => {
    signal.throwIfAborted()
    state.say({ step: 'preparing', words })
  }
  begin('Checking the input')
  const checked = await checkTyped(state, orderable.fields, input)
  if (checked === undefined) return undefined
  const { prepareOrder } = await import('./prepare-order.ts')
  return await prepareOrder(dependencies, { orderable, input: checked }, begin, signal)
}

/** Sends a failed job again. Undefined when the input is refused; the order is then shown unchanged. */
async function sendAgain(
  { ask, loadParts }: CheckoutDependencies,
  state: CheckoutState,
  {
    order,
    fields,
    input,
  }: { readonly order: SignedOrder; readonly fields: FieldMap; readonly input: JsonObject },
  signal: AbortSignal,
): Promise<Execution | undefined> {
  const checked = await checkTyped(state, fields, input)
  if (checked === undefined) return undefined
  const [{ retryOrder }, { journal, clock }] = await Promise.all([
    import('../../orders/retry-order.ts'),
    loadParts(),
  ])
  const onUnanswered = (): void => state.countUnanswered()
  const sent = await retryOrder({ ask, clock, journal }, order, checked, { onUnanswered, signal })
  return ordered(sent, true)
}

/** The input as parsed by the agent's rules. Undefined when it is refused; the state then has the reason. */
async function checkTyped(
  state: CheckoutState,
  fields: FieldMap,
  input: JsonObject,
): Promise<JsonObject | undefined> {
  const { checkInput } = await import('../../fields/check-input.ts')
  const checked = checkInput(fields, input)
  state.refuse(checked.ok ? undefined : checked.violation)
  return checked.ok ? checked.value : undefined
}
