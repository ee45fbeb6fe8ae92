import type { PaymentGate } from '../../payment-gate/payment-gate.ts'
import type { Payments } from '../service/service.ts'

/** The facilitator does not accept this agent: FACILITATOR_SECRET is missing or was refused (401, D11). */
export class UnauthorizedAgent extends Error {
  override readonly name = 'UnauthorizedAgent'

  constructor() {
    super('FACILITATOR_SECRET is missing or was refused by the facilitator')
  }
}

/** Returns the payment gate. Throws {@link UnauthorizedAgent} when the agent has no secret. */
export function authorizeAgent(payments: Payments): PaymentGate {
  if (payments.gate === undefined) throw new UnauthorizedAgent()
  return payments.gate
}
