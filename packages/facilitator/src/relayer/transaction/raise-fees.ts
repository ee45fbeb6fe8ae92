import type { Log } from '@farebox/server/log'
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
 * A replacement must offer a tenth more than what it replaces (geth, `txpool.pricebump`); a quarter is seen
 * by all.
 */
const BUMP_PERCENT = 125n

/**
 * Signs a transaction that is stuck again, with the same nonce and higher fees; saved before anybody sees it. Resolves
 * to it as it is from now on: unchanged where the cap allows no more, or the lease is another's.
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
  })
  return { ...transaction, ...signed, hashes: [...transaction.hashes, signed.hash] }
}

function bumped(wei: bigint): bigint {
  return (wei * BUMP_PERCENT) / 100n + 1n
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
