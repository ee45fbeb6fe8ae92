import type { QuoteAnswer } from '@farebox/platform-api/jobs'
import type { Violation } from '@farebox/protocol/fields/compile'
import type { SignedOrder } from '../../kept/order.ts'
import type { StopReason } from '../../orders/explain-stop.ts'

/** The progress of an order, from the press on the button to the outcome. */
export type Execution =
  | { readonly step: 'idle' }
  /** Nothing has been signed yet. */
  | { readonly step: 'preparing'; readonly words: string }
  /** Nothing was sent, and the form keeps its input. */
  | ({ readonly step: 'stopped' } & StopReason)
  /** The agent requests a different amount than was shown. Nothing has been signed. */
  | { readonly step: 'changed'; readonly quote: QuoteAnswer }
  | {
      readonly step: 'ordered'
      readonly order: SignedOrder
      /** The number of attempts to send it that were not answered. */
      readonly unanswered: number
      /** Whether it was ordered or sent again on this page, rather than found in the journal. */
      readonly isFresh: boolean
    }

/** An order, and the result of checking its input. */
export interface CheckoutValue {
  readonly execution: Execution
  /** The first problem of the input that was checked last, a new object for each check; undefined when there is none. */
  readonly refusal: Violation | undefined
}

/** The state of one form's orders, with the methods that change it. */
export interface CheckoutState {
  get(): CheckoutValue
  /** Calls back after each change until the returned function is called. There is one listener at a time. */
  listen(changed: () => void): () => void
  say(execution: Execution): void
  /** Returns to the form if this is the current step; otherwise does nothing. */
  leave(step: Execution['step']): void
  /** Sets the result of a check. A refusal is shown in the form at once, so that its field can take the focus. */
  refuse(refusal: Violation | undefined): void
  /** Sets the new state of an order, unless another order is shown. */
  learn(order: SignedOrder): void
  /** Counts an attempt to send the order that was not answered. */
  countUnanswered(): void
}

const IDLE: Execution = { step: 'idle' }

/** Creates the state of a form on which nothing has been pressed. */
export function createCheckoutState(): CheckoutState {
  let value: CheckoutValue = { execution: IDLE, refusal: undefined }
  let listener: (() => void) | undefined
  const change = (part: Partial<CheckoutValue>): void => {
    value = { ...value, ...part }
    listener?.()
  }
  return {
    get: () => value,
    listen(changed) {
      listener = changed
      return () => {
        listener = undefined
      }
    },
    say: execution => change({ execution }),
    leave(step) {
      if (value.execution.step === step) change({ execution: IDLE })
    },
    refuse(refusal) {
      const isBack = refusal !== undefined && value.execution.step === 'preparing'
      change({ refusal, ...(isBack && { execution: IDLE }) })
    },
    learn(order) {
      const { execution } = value
      if (execution.step === 'ordered' && execution.order.job_id === order.job_id)
        change({ execution: { ...execution, order } })
    },
    countUnanswered() {
      const { execution } = value
      if (execution.step === 'ordered')
        change({ execution: { ...execution, unanswered: execution.unanswered + 1 } })
    },
  }
}
