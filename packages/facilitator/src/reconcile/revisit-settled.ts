import { receiptProvesPayment } from '@farebox/payments/chain/chain-proof'
import type { ChainReceipt } from '@farebox/payments/chain/chain-receipt'
import { correctLedger, type ReconcilerParts } from './correct-ledger.ts'
import type { PaymentRecord } from '../ledger/payment-record.ts'

/** For settled rows whose block the node does not have, by key: the number of consecutive rounds without the block. */
export type MissingBlocks = Map<string, number>

/** A node that is behind catches up within this many rounds; after that the block counts as replaced. */
const ROUNDS_BEHIND = 3
/** Rows whose authorizations are read in one call. */
const ROWS_A_CALL = 100

/**
 * Checks settled rows again: each must be in the receipt of its transaction, in the same block, with its authorization used.
 * A row that is not is corrected from the chain (PAY-18): it is sent again while that is possible, otherwise it is recorded
 * as a loss. Resolves to the keys of the rows that agree with the chain.
 *
 * @param behind - if given, rows of blocks beyond this head are left to later rounds: the node may only be behind
 */
export async function revisitSettled(
  parts: ReconcilerParts,
  records: readonly PaymentRecord[],
  behind?: { readonly headNumber: bigint; readonly missing: MissingBlocks },
): Promise<readonly string[]> {
  const due = records.filter(record => behind === undefined || !isBehind(behind, record))
  const found: string[] = []
  for (let start = 0; start < due.length; start += ROWS_A_CALL) {
    const some = due.slice(start, start + ROWS_A_CALL)
    const { used } = await parts.reader.readUses(some)
    const receipts = await readReceipts(parts, some)
    for (const record of some) {
      const receipt = receipts.get(record.transaction)
      if (used.has(record.key) && isWhereItWas(parts, record, receipt)) found.push(record.key)
      else await follow(parts, record, used.has(record.key) ? receipt : undefined)
    }
  }
  return found
}

/** Sends one request for each transaction, however many payments it carried. */
async function readReceipts(
  { reader }: ReconcilerParts,
  records: readonly PaymentRecord[],
): Promise<ReadonlyMap<string, ChainReceipt | undefined>> {
  const hashes = [...new Set(records.map(({ transaction }) => transaction))]
  const receipts = await Promise.all(hashes.map(hash => reader.readReceipt(hash)))
  return new Map(hashes.map((hash, index) => [hash, receipts[index]]))
}

/** May the node just be behind the one that showed this block? */
function isBehind(
  { headNumber, missing }: { readonly headNumber: bigint; readonly missing: MissingBlocks },
  { key, blockNumber }: PaymentRecord,
): boolean {
  const passes = blockNumber !== undefined && blockNumber > headNumber ? (missing.get(key) ?? 0) + 1 : 0
  if (passes === 0 || passes >= ROUNDS_BEHIND) missing.delete(key)
  else missing.set(key, passes)
  return passes > 0 && passes < ROUNDS_BEHIND
}

function isWhereItWas(
  { network }: ReconcilerParts,
  { authorization, blockNumber }: PaymentRecord,
  receipt: ChainReceipt | undefined,
): boolean {
  return (
    receipt !== undefined &&
    receipt.blockNumber === blockNumber &&
    receiptProvesPayment(network, authorization, receipt)
  )
}

async function follow(
  parts: ReconcilerParts,
  record: PaymentRecord,
  receipt: ChainReceipt | undefined,
): Promise<void> {
  const { key, authorization } = record
  const moved = async (transaction: string, blockNumber: bigint): Promise<void> =>
    await correctLedger(parts, 'moved', { key, from: 'settled', to: 'settled', transaction, blockNumber })
  if (receipt !== undefined && receiptProvesPayment(parts.network, authorization, receipt)) {
    await moved(record.transaction, receipt.blockNumber)
    return
  }
  const verdict = await parts.reader.findSettlement(record)
  switch (verdict.kind) {
    case 'settled':
      await moved(verdict.transaction, verdict.blockNumber)
      return
    case 'unused':
      await correctLedger(parts, 'reorganised', { key, from: 'settled', to: 'captured', observedBlock: 0n })
      return
    case 'spent-otherwise':
      await correctLedger(parts, 'lost', {
        key,
        from: 'settled',
        to: 'failed',
        transaction: verdict.transaction,
        blamed: true,
        lostAtomic: BigInt(authorization.value),
        failure: {
          reason: 'invalid_exact_evm_nonce_already_used',
          message: 'undone by a reorganisation and then spent otherwise',
        },
      })
      return
    case 'unclear':
  }
}
