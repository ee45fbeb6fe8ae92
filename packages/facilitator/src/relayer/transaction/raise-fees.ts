import type { Log } from '@farebox/server/log'
import { carriedFields } from '../../ledger/payment-fields.ts'
import type { OpenTransaction, SenderLease, SettlementLedger } from '../../ledger/settlement-ledger.ts'
import type { Metrics } from '../../metrics.ts'
import type { PaymentRecord } from '../../ledger/payment-record.ts'
import type { Fees, Relayer, SettlementCall } from '../account/relayer-account.ts'
import type { RelayerNode } from '../account/relayer-node.ts'

/** The dependencies of signing a transaction again. */
export interface RaiseParts {
  readonly relayer: Relayer
  readonly node: RelayerNode
  /** The call that carries these payments now. Rejects when the node gives no answer. */
  readonly carry: (payments: readonly PaymentRecord[]) => Promise<SettlementCall>
  readonly settlements: SettlementLedger
  readonly log: Log
  readonly metrics: Metrics
  /** The most a unit of gas may cost, in wei. */
  readonly maxFeePerGas: bigint
}

/**
 * A replacement must offer a tenth more than the transaction it replaces (geth, `txpool.pricebump`); all nodes accept a
 * quarter more.
 */
const BUMP_PERCENT = 125n

/**
 * Signs a stuck transaction again with the same nonce and higher fees, and saves it before it is sent. Resolves to the
 * transaction that counts from then on: unchanged when the cap allows no higher fees, or when the lease is lost.
 */
export async function raiseFees(
  parts: RaiseParts,
  lease: SenderLease,
  transaction: OpenTransaction,
): Promise<OpenTransaction> {
  const market = await parts.node.fees()
  const fees: Fees = {
    maxFeePerGas: larger(market.maxFeePerGas, bumped(transaction.maxFeePerGas)),
    maxPriorityFeePerGas: larger(market.maxPriorityFeePerGas, bumped(transaction.maxPriorityFeePerGas)),
  }
  if (fees.maxFeePerGas > parts.maxFeePerGas) return transaction
  const call = await parts.carry(transaction.payments)
  const signed = parts.relayer.sign(call, transaction.nonce, fees)
  if (!(await parts.settlements.replace(lease, transaction.id, signed))) return transaction
  parts.metrics.transactions.inc({ outcome: 'fees_raised' })
  parts.log.info('transaction fees raised', {
    hash: signed.hash,
    nonce: transaction.nonce,
    maxFeePerGas: fees.maxFeePerGas,
    ...carriedFields(transaction.payments),
  })
  return { ...transaction, ...signed, hashes: [...transaction.hashes, signed.hash] }
}

function bumped(wei: bigint): bigint {
  return (wei * BUMP_PERCENT) / 100n + 1n
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
