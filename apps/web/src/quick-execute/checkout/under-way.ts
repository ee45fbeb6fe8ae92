import type { SignedOrder } from '../../kept/order.ts'
import type { Execution } from './checkout-state.ts'

/** Whether an order has been signed and its outcome is not known yet. */
export function isUnderWay(execution: Execution): boolean {
  return execution.step === 'ordered' && isOrderUnderWay(execution.order)
}

/** Whether the outcome of an order is not known yet. */
export function isOrderUnderWay({ job, refusal }: SignedOrder): boolean {
  return refusal === undefined && (job === undefined || job.status === 'sent' || job.status === 'pending')
}
