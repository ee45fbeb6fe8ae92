import type { QuoteAnswer } from '@farebox/platform-api/jobs'
import type { Violation } from '@farebox/protocol/fields/compile'
import type { SignedOrder } from '../../kept/order.ts'
import type { StopReason } from '../../orders/explain-stop.ts'

/** The progress of an order, from the press on the button to the outcome. */
export type Execution =
  | { readonly step: 'idle' }
  /** Nothing has been signed. */
  | { readonly step: 'preparing'; readonly words: string }
  /** Nothing was sent, and the form keeps its input. */
  | ({ readonly step: 'stopped' } & StopReason)
  /** The agent asks for another amount than was shown. Nothing has been signed. */
  | { readonly step: 'changed'; readonly quote: QuoteAnswer }
  | {
      readonly step: 'ordered'
      readonly order: SignedOrder
      /** The number of attempts to send it that had no answer. */
      readonly unanswered: number
      /** It was ordered or sent again on this page, and not found in the journal. */
      readonly isFresh: boolean
    }

/** An order, and the check of its input. */
export interface CheckoutValue {
  readonly execution: Execution
  /** The first thing wrong with the input that was checked last, a new object each time; undefined: nothing. */
  readonly refusal: Violation | undefined
}

/** The state of one form's orders, and its changes. */
export interface CheckoutState {
  get(): CheckoutValue
  /** Calls back after each change until the returned function is called. One listener at a time. */
  listen(changed: () => void): () => void
  say(execution: Execution): void
  /** Goes back to the form from this step; from another one nothing changes. */
  leave(step: Execution['step']): void
  /** An input was checked. A refused one is shown in the form at once, whose fields can take the focus then. */
  refuse(refusal: Violation | undefined): void
  /** More is known of an order. Nothing changes where another one is shown. */
  learn(order: SignedOrder): void
  /** One more attempt to send the order had no answer. */
  countUnanswered(): void
}

const IDLE: Execution = { step: 'idle' }

/** Makes the state of a form on which nothing was pressed. */
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
