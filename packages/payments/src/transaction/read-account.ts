import type { JsonRpc } from '../chain/json-rpc.ts'
import { isQuantity } from '../chain/rpc-words.ts'

/**
 * How many transactions of an account are in blocks or, with `pending`, known to the node: the nonce of its next one.
 *
 * @throws {Error} where the node answers something that is no number
 */
export async function countTransactions(
  rpc: Pick<JsonRpc, 'call'>,
  address: string,
  upTo: 'latest' | 'pending',
): Promise<number> {
  return Number(await askForNumber(rpc, 'eth_getTransactionCount', [address, upTo]))
}

/**
 * The balance of an account in its chain's own coin, in wei.
 *
 * @throws {Error} where the node answers something that is no number
 */
export async function readCoinBalance(rpc: Pick<JsonRpc, 'call'>, address: string): Promise<bigint> {
  return await askForNumber(rpc, 'eth_getBalance', [address, 'latest'])
}

/** Asks a node for a number; rejects where it gives none. */
export async function askForNumber(
  rpc: Pick<JsonRpc, 'call'>,
  method: string,
  parameters: readonly unknown[],
): Promise<bigint> {
  const answer = await rpc.call(method, parameters)
  if (!isQuantity(answer)) throw new Error(`${method}: the node gave no number where there should be one`)
  return BigInt(answer)
}
