import { isObject } from '@farebox/protocol/internal/guards/json'
import type { Wallet } from './wallet.ts'

/** A transaction that a wallet was asked to send. */
export interface AskedTransaction {
  /** Undefined when the wallet has not returned it. */
  readonly hash?: string
  readonly from: string
}

/** The outcome of a transaction, as far as the wallet's own chain knows it. */
export type TransactionOutcome = 'open' | 'reverted' | 'replaced' | 'unknown'

/**
 * Asks the wallet's chain about a transaction that the platform has not seen yet: whether the contract refused it, and
 * whether another transaction of the wallet has replaced it.
 */
export async function readTransaction(
  wallet: Wallet,
  { hash, from }: AskedTransaction,
  chainId: number,
): Promise<TransactionOutcome> {
  const { readChain } = wallet
  if (readChain === undefined || hash === undefined) return 'unknown'
  if (Number(await readChain('eth_chainId', [])) !== chainId) return 'unknown'
  const nonce = nonceOf(await readChain('eth_getTransactionByHash', [hash]))
  if (nonce !== undefined) nonces.set(hash, nonce)
  const used = Number(await readChain('eth_getTransactionCount', [from, 'latest']))
  // Read last, so that a block mined during the other reads is noticed.
  const receipt = await readChain('eth_getTransactionReceipt', [hash])
  if (isObject(receipt)) return Number(receipt['status']) === 0 ? 'reverted' : 'open'
  const known = nonces.get(hash)
  return known !== undefined && used > known ? 'replaced' : 'open'
}

/** The nonces of transactions. They are remembered, because nodes forget a transaction that was replaced. */
const nonces = new Map<string, number>()

function nonceOf(transaction: unknown): number | undefined {
  const nonce = isObject(transaction) ? Number(transaction['nonce']) : Number.NaN
  return Number.isSafeInteger(nonce) ? nonce : undefined
}
