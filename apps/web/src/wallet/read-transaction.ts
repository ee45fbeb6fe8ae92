import { isObject } from '@farebox/protocol/internal/guards/json'
import type { Wallet } from './wallet.ts'

/** A transaction that a wallet was asked to send. */
export interface SentTransaction {
  /** Undefined: the wallet has not said. */
  readonly hash?: string
  readonly from: string
}

/** What became of a transaction, as far as a wallet's own chain tells. */
export type TransactionFate = 'open' | 'reverted' | 'replaced' | 'unknown'

/**
 * Asks the wallet's chain about a transaction that the platform has not seen so far: whether the contract refused it, and
 * whether another transaction of the wallet has taken its place.
 */
export async function readTransaction(
  wallet: Wallet,
  { hash, from }: SentTransaction,
  chainId: number,
): Promise<TransactionFate> {
  const { readChain } = wallet
  if (readChain === undefined || hash === undefined) return 'unknown'
  if (Number(await readChain('eth_chainId', [])) !== chainId) return 'unknown'
  const nonce = nonceOf(await readChain('eth_getTransactionByHash', [hash]))
  if (nonce !== undefined) nonces.set(hash, nonce)
  const used = Number(await readChain('eth_getTransactionCount', [from, 'latest']))
  // Last, so that what a block took meanwhile is seen.
  const receipt = await readChain('eth_getTransactionReceipt', [hash])
  if (isObject(receipt)) return Number(receipt['status']) === 0 ? 'reverted' : 'open'
  const known = nonces.get(hash)
  return known !== undefined && used > known ? 'replaced' : 'open'
}

/** A transaction that was replaced is not told of any more: its number is kept from before. */
const nonces = new Map<string, number>()

function nonceOf(transaction: unknown): number | undefined {
  const nonce = isObject(transaction) ? Number(transaction['nonce']) : Number.NaN
  return Number.isSafeInteger(nonce) ? nonce : undefined
}
