import type { JsonRpc } from '../chain/json-rpc.ts'
import { isQuantity } from '../chain/rpc-words.ts'

/**
 * The number of an account's transactions in blocks or, with `pending`, known to the node: the nonce of its next one.
 *
 * @throws {Error} when the node's answer is not a number
 */
export async function countTransactions(
  rpc: Pick<JsonRpc, 'call'>,
  address: string,
  upTo: 'latest' | 'pending',
): Promise<number> {
  return Number(await askForNumber(rpc, 'eth_getTransactionCount', [address, upTo]))
}

/**
 * The balance of an account in the chain's native coin, in wei.
 *
 * @throws {Error} when the node's answer is not a number
 */
export async function readCoinBalance(rpc: Pick<JsonRpc, 'call'>, address: string): Promise<bigint> {
  return await askForNumber(rpc, 'eth_getBalance', [address, 'latest'])
}

/** Requests a number from a node; rejects for any other answer. */
export async function askForNumber(
  rpc: Pick<JsonRpc, 'call'>,
  method: string,
  parameters: readonly unknown[],
): Promise<bigint> {
  const answer = await rpc.call(method, parameters)
  if (!isQuantity(answer)) throw new Error(`${method}: the node gave no number where there should be one`)
  return BigInt(answer)
}
