import type { Hold } from '@farebox/payments/x402/facilitator-api'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { Observation } from '../chain/chain-reader.ts'
import type { HoldOutcome } from '../ledger/payment-ledger.ts'
import { nearBudget, usedUp } from './announce-budget.ts'
import { refusePayment, UnavailableError, type PaymentRefusal } from './refusal.ts'

/** The verdict on a payment: held for the caller, or refused with a reason. */
export type VerifyVerdict =
  | { readonly ok: true; readonly hold: Hold; readonly payer: string }
  | RefusingVerdict

interface RefusingVerdict {
  readonly ok: false
  readonly refusal: PaymentRefusal
  /** The ledger tried to settle it: a transaction that failed to pay it may still be mined again and pay it. */
  readonly wasCaptured?: true
}

/** Hold outcomes with a fixed refusal. */
const FIXED_REFUSALS = {
  'bound-otherwise': {
    reason: 'payment_bound_otherwise',
    message: 'this authorization was first used for another job: sign a new one',
  },
  'in-settlement': {
    reason: 'invalid_exact_evm_nonce_already_used',
    message: 'this authorization has been charged already: ask /settle for its transaction',
  },
  'too-many-open': {
    reason: 'too_many_open_payments',
    message: 'the payer has too many payments open: let some be settled first',
  },
  'code-not-sponsored': {
    reason: 'payer_has_code',
    message: 'the account of this payer has code, and this agent is not listed: pay from an ordinary account',
  },
  'gas-used-up': {
    reason: 'payer_has_code',
    message: 'accounts with code have burned too much gas today: pay from an ordinary account',
  },
} as const

/**
 * The verdict on a payment that passed every check, from the outcome of its hold.
 *
 * Throws {@link UnavailableError} when the outcome is not about the payment: the owner has too many payments open, or used
 * up its limit of today.
 */
export function readHoldOutcome(
  outcome: HoldOutcome,
  { balanceAtomic }: Observation,
  payer: string,
  now: number,
): VerifyVerdict {
  const refuse = (reason: string, message: string): RefusingVerdict => ({
    ok: false,
    refusal: refusePayment(reason, message, payer),
  })
  switch (outcome.kind) {
    case 'held': {
      const { holdId, holdUntil, budget } = outcome
      return { ok: true, hold: { holdId, holdUntil, ...nearBudget(budget, now) }, payer }
    }
    case 'bound-otherwise':
    case 'in-settlement':
    case 'too-many-open':
    case 'code-not-sponsored':
    case 'gas-used-up': {
      const { reason, message } = FIXED_REFUSALS[outcome.kind]
      return refuse(reason, message)
    }
    case 'failed':
      return { ...refuse(outcome.reason, outcome.message), wasCaptured: true }
    case 'insufficient':
      return refuse(
        'invalid_exact_evm_insufficient_balance',
        `the payer has ${formatUsdc(balanceAtomic)} USDC, ` +
          `of which ${formatUsdc(outcome.openAtomic)} are reserved for other payments`,
      )
    case 'payer-barred':
      return refuse(
        'payer_barred',
        `too many payments of this payer failed to settle: come back at ${outcome.untilSeconds} (Unix time)`,
      )
    case 'owner-too-many-open':
      throw new UnavailableError(
        'the owner of this secret has too many payments open: let some be settled first',
      )
    case 'over-budget':
      throw usedUp(outcome.budget, now)
  }
}
