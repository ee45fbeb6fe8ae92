import type { Clock } from '@farebox/protocol/time/clock'
import type { LedgerPayment, PaymentRecord } from '../ledger/payment-record.ts'
import type { Conclusion } from '../ledger/settlement-ledger.ts'
import { decodeBatch, decodeSettle, fitsSettle } from '../chain/calldata.ts'
import type { ChainReader, Observation } from '../chain/chain-reader.ts'
import { failedConclusion, verifyCaptured, type CapturedParts } from './verify-captured.ts'
import type { PayerCode, ReadPayerCodes } from '../chain/payer-code.ts'
import type {
  BatchContract,
  CarriedPayment,
  Fees,
  Relayer,
  SettlementCall,
} from './account/relayer-account.ts'
import type { RelayerNode } from './account/relayer-node.ts'
import type { HasSettler } from './account/has-batch-settler.ts'

/** The decisions about captured payments. */
export interface SettlementPlan {
  /** Decided without a transaction of ours. */
  readonly concluded: readonly Conclusion[]
  /** Can be paid in one transaction. */
  readonly together: readonly PaymentRecord[]
  /** Can be paid, but each in a transaction of its own. */
  readonly single: readonly PaymentRecord[]
  /** The call that carries some of these payments, with the account codes that were read for the simulation. */
  call(payments: readonly PaymentRecord[]): SettlementCall
}

/** The dependencies of a plan. */
export interface PlanParts extends CapturedParts {
  readonly reader: ChainReader
  /** Observes a single payment; see `createObserver`. */
  readonly observe: (payment: LedgerPayment) => Promise<Observation>
  readonly readCodes: ReadPayerCodes
  readonly hasSettler: HasSettler
  readonly relayer: Relayer
  readonly node: RelayerNode
  readonly clock: Clock
}

/** An authorization that ends this soon is checked by itself: its block may be later than the simulated one. */
const ENDS_SOON_SECONDS = 2

/**
 * Checks captured payments once more before gas is spent on them (SR7): the transaction that would carry them is simulated
 * exactly as it would be sent. Payments that succeed are sent. Each that fails is checked by itself: if the chain has
 * decided it, it is concluded; if nothing is certain now, it stays captured. Payers whose accounts now have unknown code are
 * sent alone from now on.
 *
 * Rejects when the node gives no answer: then nothing is decided, and nothing has failed.
 *
 * @param fees - the fees of the transaction; undefined when none can be sent now and only decisions are wanted
 */
export async function planTogether(
  parts: PlanParts,
  captured: readonly PaymentRecord[],
  fees: Fees | undefined,
): Promise<SettlementPlan> {
  const [codes, contract] = await Promise.all([codesOf(parts, captured), batchContract(parts)])
  const isUnknown = ({ authorization: { from } }: PaymentRecord): boolean =>
    codes.get(from)?.kind === 'unknown'
  const moved = captured.filter(isUnknown).map(goesAlone)
  const rest = captured.filter(payment => !isUnknown(payment))
  const isSingle = (payment: PaymentRecord): boolean =>
    !fitsSettle(payment.authorization) ||
    (contract === 'multicall' &&
      (payment.faults > 0 || codes.get(payment.authorization.from)?.kind === 'known'))

  const tried = rest.filter(
    payment => !isSingle(payment) && payment.faults === 0 && !endsSoon(parts, payment),
  )
  const passed =
    fees === undefined ? new Set<string>() : await tryTogether(parts, tried, codes, contract, fees)
  const { concluded, payable } = await verifyEach(
    parts,
    rest.filter(payment => !passed.has(payment.key)),
  )
  // Payments that succeed only by themselves failed after another payment of their payer, or the head is older than they
  // are.
  const late = onePerPayer(
    payable,
    rest.filter(payment => passed.has(payment.key)),
  )
  const together = rest.filter(
    payment => passed.has(payment.key) || (late.has(payment.key) && !isSingle(payment)),
  )
  return {
    concluded: [...moved, ...concluded],
    together,
    single: payable.filter(isSingle),
    call: payments => parts.relayer.call(carried(payments, codes), contract),
  }
}

/** The keys of the payments that succeed in one simulated transaction of all of them. */
async function tryTogether(
  { relayer, node }: PlanParts,
  payments: readonly PaymentRecord[],
  codes: ReadonlyMap<string, PayerCode>,
  contract: BatchContract,
  fees: Fees,
): Promise<ReadonlySet<string>> {
  if (payments.length === 0) return new Set()
  const trial = await node.simulate(relayer.address, relayer.call(carried(payments, codes), contract), fees)
  if (trial.kind === 'no-funds') throw new Error(trial.message)
  if (trial.kind === 'fails') return new Set()
  const passed = readPassed(trial.data, payments.length, contract)
  return new Set(payments.filter((_, index) => passed[index]).map(payment => payment.key))
}

function readPassed(data: string, count: number, contract: BatchContract): readonly boolean[] {
  if (count === 1) return [true]
  if (contract === 'settler') return decodeSettle(data, count)
  return decodeBatch(data, count).map(result => result.succeeded)
}

async function verifyEach(
  parts: PlanParts,
  payments: readonly PaymentRecord[],
): Promise<{ readonly concluded: readonly Conclusion[]; readonly payable: readonly PaymentRecord[] }> {
  const concluded: Conclusion[] = []
  const payable: PaymentRecord[] = []
  await Promise.all(
    payments.map(async payment => {
      const decision = await verifyCaptured(parts, payment, await parts.observe(payment))
      if (decision === 'payable') payable.push(payment)
      else if (decision !== 'later') concluded.push(decision)
    }),
  )
  return { concluded, payable }
}

/**
 * By key: the first payment of each payer that has no other payment in the transaction. The others get their turn once it is
 * paid.
 */
function onePerPayer(
  payable: readonly PaymentRecord[],
  going: readonly PaymentRecord[],
): ReadonlySet<string> {
  const payers = new Set(going.map(payment => payment.authorization.from))
  return new Set(
    payable.flatMap(({ key, authorization: { from } }) => {
      if (payers.has(from)) return []
      payers.add(from)
      return [key]
    }),
  )
}

/** The decision about the first payment to be sent alone that can be decided. */
export interface LonePlan {
  readonly concluded: readonly Conclusion[]
  readonly next: { readonly payment: PaymentRecord; readonly call: SettlementCall } | undefined
}

/**
 * Checks payments from accounts with unknown code until one can be sent. Such a payment gets one attempt: after a reverted
 * transaction it is not sent again, and all waiting payments of its payer fail with it.
 *
 * Rejects when the node gives no answer.
 */
export async function planAlone(
  parts: PlanParts,
  captured: readonly PaymentRecord[],
  fees: Fees | undefined,
): Promise<LonePlan> {
  const concluded: Conclusion[] = []
  for (const payment of captured) {
    const decision = await verifyCaptured(parts, payment, await parts.observe(payment))
    if (decision === 'later') continue
    if (decision !== 'payable') concluded.push(decision)
    else if (payment.faults > 0) {
      concluded.push({ ...failedConclusion(payment, FAILED, BURNED), dropsPayer: true })
      return { concluded, next: undefined }
    } else if (fees !== undefined) {
      const call = await carry(parts, [payment])
      const trial = await parts.node.simulate(parts.relayer.address, call, fees)
      if (trial.kind === 'no-funds') throw new Error(trial.message)
      if (trial.kind === 'passes') return { concluded, next: { payment, call } }
      concluded.push(failedConclusion(payment, FAILED, `the transaction would fail: ${trial.message}`))
    }
  }
  return { concluded, next: undefined }
}

const FAILED = 'invalid_exact_evm_transaction_failed'
const BURNED = "a transaction with this payer's account was reverted: accounts with code have one attempt"

/** The call that carries payments now; see `Relayer.call`. Rejects when the node gives no answer. */
export async function carry(
  parts: Pick<PlanParts, 'readCodes' | 'hasSettler' | 'relayer'>,
  payments: readonly PaymentRecord[],
): Promise<SettlementCall> {
  const [codes, contract] = await Promise.all([codesOf(parts, payments), batchContract(parts)])
  return parts.relayer.call(carried(payments, codes), contract)
}

async function codesOf(
  { readCodes }: Pick<PlanParts, 'readCodes'>,
  payments: readonly PaymentRecord[],
): Promise<ReadonlyMap<string, PayerCode>> {
  const payers = [...new Set(payments.map(payment => payment.authorization.from))]
  if (payers.length === 0) return new Map()
  const codes = await readCodes(payers)
  return new Map(
    payers.flatMap((payer, index) => {
      const code = codes[index]
      return code === undefined ? [] : [[payer, code] as const]
    }),
  )
}

async function batchContract({ hasSettler }: Pick<PlanParts, 'hasSettler'>): Promise<BatchContract> {
  return (await hasSettler()) ? 'settler' : 'multicall'
}

function carried(
  payments: readonly PaymentRecord[],
  codes: ReadonlyMap<string, PayerCode>,
): readonly CarriedPayment[] {
  return payments.map(payment => {
    const code = codes.get(payment.authorization.from)
    return code?.kind === 'known' ? { ...payment, codeHash: code.codeHash } : payment
  })
}

function goesAlone({ key, observedBlock }: PaymentRecord): Conclusion {
  return { key, from: 'captured', to: 'captured', observedBlock, hasCode: true }
}

function endsSoon({ clock }: PlanParts, { authorization }: PaymentRecord): boolean {
  return Number(authorization.validBefore) <= clock.nowMs() / 1_000 + ENDS_SOON_SECONDS
}
