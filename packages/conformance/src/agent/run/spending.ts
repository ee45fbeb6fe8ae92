import { decodeHeader } from '@farebox/payments/x402/payment-header'
import { isObject } from '@farebox/protocol/internal/guards/json'
import type { Reply } from '../exchange/send-request.ts'

/** What a run has cost its payer, as far as is known. */
export interface Spending {
  /** The number of signed payments; each can be charged at most once. */
  readonly payments: number
  /** The sum of the signed payments, in atomic units. */
  readonly signedAtomic: bigint
  /** Unix seconds until which an uncharged payment can still be charged; `undefined` when none was signed. */
  readonly goodUntilSeconds: number | undefined
  /** Hashes of the transfers that the agent named in PAYMENT-RESPONSE. */
  readonly transactions: readonly string[]
}

/** Records the spending of a run. */
export interface SpendingBook {
  noteSigned(amountAtomic: bigint, validBefore: number): void
  noteReply(reply: Reply): void
  spending(): Spending
}

/** Creates an empty record. */
export function openSpendingBook(): SpendingBook {
  let payments = 0
  let signedAtomic = 0n
  let goodUntilSeconds: number | undefined
  const transactions = new Set<string>()
  return {
    noteSigned(amountAtomic, validBefore) {
      payments += 1
      signedAtomic += amountAtomic
      goodUntilSeconds = Math.max(goodUntilSeconds ?? 0, validBefore)
    },
    noteReply({ headers }) {
      const receipt = decodeHeader(headers.get('payment-response') ?? '')
      if (!isObject(receipt) || receipt['success'] !== true) return
      const { transaction } = receipt
      if (typeof transaction === 'string' && /^0x[0-9a-f]{64}$/i.test(transaction)) {
        transactions.add(transaction.toLowerCase())
      }
    },
    spending: () => ({ payments, signedAtomic, goodUntilSeconds, transactions: [...transactions] }),
  }
}
