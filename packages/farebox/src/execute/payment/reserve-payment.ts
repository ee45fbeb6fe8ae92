import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Hold } from '@farebox/payments/x402/facilitator-api'
import { within } from '@farebox/protocol/internal/time/within'
import { holdBinding } from './hold-binding.ts'
import { InternalError, PaymentError } from '@farebox/protocol/errors/service-errors'
import type { AcceptedPayment } from '../request/accept-payment.ts'
import type { Deadline } from '../../handler/enforce-deadline.ts'
import { agentKey, type JobOrder } from '../request/job-order.ts'
import { TryLater } from '../service/admission.ts'
import { UnauthorizedAgent } from './authorize-agent.ts'
import type { Service } from '../service/service.ts'
import type { ChargeOutcome, PaymentGate, ReleaseTerms, Verdict } from '../../payment-gate/payment-gate.ts'
import { StillRunning } from '../service/still-running.ts'

declare const reserved: unique symbol

/** A payment that the facilitator verified and, when it supports holds, reserved for this job. */
export interface ReservedPayment {
  readonly [reserved]: true
  readonly payment: AcceptedPayment
  readonly terms: ReleaseTerms
  readonly hold: Hold | undefined
}

/** The facilitator rejected the payment: its claim in the job store can be dropped, because it was never reserved. */
export class PaymentRejected extends PaymentError {
  readonly paymentKey: string
  /** Whether the payment was charged before, and for which job. */
  readonly charge: ChargeOutcome

  constructor(message: string, paymentKey: string, charge: ChargeOutcome = { kind: 'none' }) {
    super(message)
    this.paymentKey = paymentKey
    this.charge = charge
  }
}

/** No verdict on the payment (D12): nothing was charged, and the same request may be sent again soon. */
export class UnverifiedPayment extends InternalError {
  readonly retryAfterSeconds = 2
}

/**
 * The deadline passed before the facilitator gave its verdict; a reservation that it makes later is released on
 * arrival.
 */
export class VerifyOverran extends StillRunning {
  constructor(ended: Promise<void>) {
    super('the payment was not verified before the deadline', ended)
  }
}

/**
 * The facilitator's reason code for a wallet that does not belong to the secret: the agent is misconfigured, so its log
 * gets a line.
 */
const PAY_TO_NOT_OWNED = 'pay_to_not_owned'

/** The binding of a payment at the facilitator: this job of this agent (D10). */
export function bindingOf(service: Service, crypto: EvmCrypto, order: JobOrder): string {
  return holdBinding(crypto, {
    agent: agentKey(service),
    capability: order.capability.name,
    jobId: order.jobId,
  })
}

/** Verification may take this long at most, even when the deadline is later (PAY-20). */
const MAX_VERIFY_MS = 5_000

/** The amount stays reserved this long after the deadline, so that the settlement can still be sent. */
const HOLD_MARGIN_SECONDS = 30

/**
 * Asks the facilitator to verify the payment and to hold it for this job (D10). Throws a {@link PaymentRejected} when
 * the facilitator rejects it, an {@link UnauthorizedAgent} when the facilitator refuses the secret (D11), an
 * {@link UnverifiedPayment} when it gives no verdict (D12), and a {@link VerifyOverran} when it gives none before the deadline.
 * It never charges anything.
 */
export async function reservePayment(
  service: Service,
  gate: PaymentGate,
  crypto: EvmCrypto,
  order: JobOrder,
  payment: AcceptedPayment,
  deadline: Deadline,
): Promise<ReservedPayment> {
  const { trace } = order.origin
  const terms = {
    binding: bindingOf(service, crypto, order),
    jobId: order.jobId,
    paymentKey: payment.key,
    trace,
  }
  const asking = gate.verify(payment, {
    requirement: order.capability.requirement,
    binding: terms.binding,
    holdUntil: Math.ceil(deadline.atMs / 1_000) + HOLD_MARGIN_SECONDS,
    timeoutMs: MAX_VERIFY_MS,
    trace,
  })
  const outcome = await within(service.clock, deadline.atMs - service.clock.nowMs(), asking)
  if (outcome === undefined) throw new VerifyOverran(asking.then(late => giveBack(gate, late, terms)))
  switch (outcome.kind) {
    // The only place that creates the branded type.
    case 'valid':
      warnOfBudget(service, outcome.hold)
      return { payment, terms, hold: outcome.hold } as ReservedPayment
    case 'invalid':
      if (outcome.reason === PAY_TO_NOT_OWNED) service.log.warn(outcome.message, { job: order.jobId })
      throw new PaymentRejected(
        outcome.message || `the payment was refused: ${outcome.reason}`,
        payment.key,
        outcome.charge,
      )
    case 'unauthorized':
      service.log.warn('the facilitator refused FACILITATOR_SECRET', { job: order.jobId })
      throw new UnauthorizedAgent()
    case 'unavailable': {
      service.log.warn('the facilitator returned no verdict', { cause: outcome.cause, job: order.jobId })
      if (outcome.isBusy === true) {
        service.admission.facilitatorBusy()
        throw new TryLater('the facilitator is asked too often at this moment: come back in a second', 1)
      }
      throw new UnverifiedPayment('the payment could not be verified now, nothing was charged')
    }
  }
}

async function giveBack(gate: PaymentGate, late: Verdict, terms: ReleaseTerms): Promise<void> {
  if (late.kind === 'valid' && late.hold !== undefined) await gate.release(late.hold, terms)
}

/**
 * The number of warnings between four fifths of a limit and the limit: enough to be noticed, too few to flood the log.
 */
const BUDGET_LINES = 10

/**
 * Warns before the owner's settlements for today are used up; the facilitator announces that before it refuses any
 * (D41).
 */
function warnOfBudget({ log }: Service, hold: Hold | undefined): void {
  if (hold?.budget === undefined) return
  const { used, limit, exhaustedAt } = hold.budget
  const step = Math.max(1, Math.floor(limit / 5 / BUDGET_LINES))
  if (used % step !== 0) return
  const expected = exhaustedAt !== undefined && { expectedAt: new Date(exhaustedAt * 1_000).toISOString() }
  if (used < limit)
    log.warn("the facilitator's settlements for today are nearly used up", { used, limit, ...expected })
  else log.warn("the facilitator's settlements for today are used up", { used, limit })
}
