import type { Hold } from '@farebox/payments/facilitator-api'
import { holdBinding } from '@farebox/payments/hold-binding'
import { InternalError, PaymentError } from '@farebox/protocol/errors/service-errors'
import type { AcceptedPayment } from './accept-terms.ts'
import type { Deadline } from './enforce-deadline.ts'
import { agentKey, type JobOrder } from './job-order.ts'
import { UnauthorizedAgent } from './authorize-agent.ts'
import type { Service } from './service.ts'
import type { PaymentGate } from '../payment-gate/payment-gate.ts'

declare const reserved: unique symbol

/** A payment that the facilitator found good and, where it can, holds for this job. */
export interface ReservedPayment {
  readonly [reserved]: true
  readonly payment: AcceptedPayment
  readonly binding: string
  readonly hold: Hold | undefined
}

/** A verdict of the facilitator against the payment: its claim here can be dropped, it was never held. */
export class PaymentRejected extends PaymentError {
  readonly paymentKey: string

  constructor(message: string, paymentKey: string) {
    super(message)
    this.paymentKey = paymentKey
  }
}

/** Our facilitator's word for a wallet that is not the secret's: the agent's own mistake, for its own log. */
const PAY_TO_NOT_OWNED = 'pay_to_not_owned'

/** Verifying is never given longer than this, however far the deadline (PAY-20). */
const MAX_VERIFY_MS = 5_000

/** The amount stays reserved this long beyond the deadline, for the settlement to be sent. */
const HOLD_MARGIN_SECONDS = 30

/**
 * Asks the facilitator whether the payment is good, and to hold it for this job (D10). Throws a
 * {@link PaymentRejected} for its verdict against it, {@link UnauthorizedAgent} where it refused our secret (D11),
 * an `InternalError` where it gave no verdict (D12). Nothing is charged in any case.
 */
export async function reservePayment(
  service: Service,
  gate: PaymentGate,
  crypto: Parameters<typeof holdBinding>[0],
  order: JobOrder,
  payment: AcceptedPayment,
  deadline: Deadline,
): Promise<ReservedPayment> {
  const binding = holdBinding(crypto, {
    agent: agentKey(service),
    capability: order.capability.name,
    jobId: order.jobId,
  })
  const outcome = await gate.verify(payment, {
    requirement: order.capability.requirement,
    binding,
    holdUntil: Math.ceil(deadline.atMs / 1_000) + HOLD_MARGIN_SECONDS,
    timeoutMs: Math.min(MAX_VERIFY_MS, Math.max(1, deadline.atMs - service.clock.nowMs())),
  })
  switch (outcome.kind) {
    // The one place where the brand is given.
    case 'valid':
      return { payment, binding, hold: outcome.hold } as ReservedPayment
    case 'invalid':
      if (outcome.reason === PAY_TO_NOT_OWNED) service.log.warn(outcome.message, { job: order.jobId })
      throw new PaymentRejected(outcome.message || `the payment was refused: ${outcome.reason}`, payment.key)
    case 'unauthorized':
      service.log.warn('the facilitator refused FACILITATOR_SECRET', { job: order.jobId })
      throw new UnauthorizedAgent()
    case 'unavailable': {
      service.log.warn('the facilitator gave no verdict', { cause: outcome.cause, job: order.jobId })
      throw new InternalError('the payment could not be verified now, nothing was charged')
    }
  }
}
