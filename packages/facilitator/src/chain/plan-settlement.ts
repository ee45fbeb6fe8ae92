import type { Network } from '@farebox/payments/networks'
import type { Clock } from '@farebox/server/clock'
import type { LedgerPayment, PaymentRecord } from '../ledger/payment-record.ts'
import type { Conclusion } from '../ledger/settlement-ledger.ts'
import type { ChainReader, Observation } from './chain-reader.ts'
import type { HasCode } from './has-code.ts'
import { isIdleHead } from './observe-together.ts'

/** What to do with captured payments now. */
export interface SettlementPlan {
  /** Decided by the chain already, without a transaction of ours. */
  readonly concluded: readonly Conclusion[]
  /** Good to go in one transaction. */
  readonly together: readonly PaymentRecord[]
  /** Good to go, but each in a transaction of its own: what fails or burns gas there harms nobody else. */
  readonly alone: readonly PaymentRecord[]
}

/** What is looked with. */
export interface PlanParts {
  readonly reader: ChainReader
  /** Looks at one payment by itself; see `createObserver`. */
  readonly observe: (payment: LedgerPayment) => Promise<Observation>
  readonly hasCode: HasCode
  readonly network: Network
  readonly clock: Clock
}

/**
 * Passes every trial and fails in every transaction: after so many the payer's account is playing with us.
 */
const MAX_ATTEMPTS = 3

/**
 * Looks at captured payments once more right before money is spent on them (SR7): those the chain has decided
 * are concluded, those that can be paid are put into transactions, and those of which nothing certain can be
 * said now stay captured.
 *
 * Rejects when the node gives no answer: then nothing is decided, and nothing has failed.
 */
export async function planSettlement(
  parts: PlanParts,
  captured: readonly PaymentRecord[],
): Promise<SettlementPlan> {
  const { reader, observe, network, clock } = parts
  const [observations, contracts] = await Promise.all([
    observeInOrder(reader, captured),
    findContracts(parts, captured),
  ])
  const concluded: Conclusion[] = []
  const together: PaymentRecord[] = []
  const alone: PaymentRecord[] = []
  await Promise.all(
    captured.map(async (payment, index) => {
      const first = observations?.[index]
      if (
        first !== undefined &&
        !first.used &&
        first.revert === undefined &&
        payment.attempts === 0 &&
        !isIdleHead(first, payment, clock)
      ) {
        // A contract may do in the transaction what it did not when tried: burn the gas of its neighbours
        // (PAY-30).
        const group = contracts.has(payment.authorization.from) ? alone : together
        group.push(payment)
        return
      }
      // Tried after its neighbours, or not at all: only what it does by itself can be held against it.
      const observation = await observe(payment)
      const decision = await decide(reader, network, payment, observation)
      if (decision === 'payable') alone.push(payment)
      else if (decision !== 'later') concluded.push(decision)
    }),
  )
  return { concluded, together: inOrder(captured, together), alone: inOrder(captured, alone) }
}

/**
 * Undefined where the node refused the call as a whole: one of the payments may have burned the gas of all.
 */
async function observeInOrder(
  reader: ChainReader,
  captured: readonly PaymentRecord[],
): Promise<readonly Observation[] | undefined> {
  try {
    return await reader.observe(captured)
  } catch {
    return undefined
  }
}

/** The payers that have code. One payer's payments have no neighbours that it could harm. */
async function findContracts(
  { hasCode }: PlanParts,
  captured: readonly PaymentRecord[],
): Promise<ReadonlySet<string>> {
  const payers = [...new Set(captured.map(payment => payment.authorization.from))]
  if (payers.length < 2) return new Set()
  const have = await hasCode(payers)
  return new Set(payers.filter((_, index) => have[index]))
}

async function decide(
  reader: ChainReader,
  network: Network,
  payment: PaymentRecord,
  observation: Observation,
): Promise<Conclusion | 'payable' | 'later'> {
  // A node that is behind the one which saw the money, or the failed transaction, knows nothing of either.
  if (observation.blockNumber < payment.observedBlock) return 'later'
  if (observation.used) return await concludeUsed(reader, payment)
  if (observation.revert === undefined) {
    return payment.attempts < MAX_ATTEMPTS
      ? 'payable'
      : failed(
          payment,
          'invalid_exact_evm_transaction_failed',
          `${payment.attempts} transactions with this transfer were reverted`,
        )
  }
  const { reason, message } = observation.revert
  if (observation.blockSeconds >= Number(payment.authorization.validBefore)) {
    // One that was sent before may be in a block that this node has not seen, or that is coming back.
    const final = Number(payment.authorization.validBefore) + network.finalitySeconds
    if (payment.attempts > 0 && observation.blockSeconds <= final) return 'later'
    return failed(
      payment,
      'invalid_exact_evm_payload_authorization_valid_before',
      'the authorization expired before it was settled',
      false,
    )
  }
  return failed(payment, reason, message)
}

/**
 * Used by somebody: a foreign transaction that paid it in full counts, a cancellation does not (PAY-10,
 * PAY-16).
 */
async function concludeUsed(reader: ChainReader, payment: PaymentRecord): Promise<Conclusion | 'later'> {
  const verdict = await reader.findSettlement(payment)
  switch (verdict.kind) {
    case 'settled':
      return {
        key: payment.key,
        from: payment.state,
        to: 'settled',
        transaction: verdict.transaction,
        blockNumber: verdict.blockNumber,
      }
    case 'spent-otherwise':
      return failed(
        payment,
        'invalid_exact_evm_nonce_already_used',
        verdict.how === 'cancelled'
          ? 'the payer cancelled the authorization'
          : 'the payer used the nonce for another transfer',
      )
    case 'unused':
    case 'unclear':
      return 'later'
  }
}

function failed(payment: PaymentRecord, reason: string, message: string, blamed = true): Conclusion {
  return {
    key: payment.key,
    from: payment.state,
    to: 'failed',
    failure: { reason, message },
    transaction: payment.transaction,
    blamed,
  }
}

function inOrder(
  captured: readonly PaymentRecord[],
  chosen: readonly PaymentRecord[],
): readonly PaymentRecord[] {
  const keys = new Set(chosen.map(payment => payment.key))
  return captured.filter(payment => keys.has(payment.key))
}
