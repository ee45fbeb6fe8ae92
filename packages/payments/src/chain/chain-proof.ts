import type { Authorization } from '../authorization/eip-3009.ts'
import type { ChainReceipt } from './chain-receipt.ts'
import type { Network } from '../networks.ts'
import { addressTopic, quantity, word } from './rpc-words.ts'

/** keccak256 of `AuthorizationUsed(address,bytes32)`, EIP-3009. */
export const AUTHORIZATION_USED_TOPIC = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'
/** keccak256 of `AuthorizationCanceled(address,bytes32)`, EIP-3009. */
export const AUTHORIZATION_CANCELED_TOPIC =
  '0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81'
/** keccak256 of `Transfer(address,address,uint256)`, ERC-20. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/**
 * Does this receipt prove the payment? It does if it has success, `AuthorizationUsed` for this payer and nonce, and the
 * matching `Transfer`, all by the asset's own contract (D10). The authorization state in storage proves nothing: cancelling
 * sets it too.
 *
 * @example
 * ```ts
 * import type { Authorization } from '@farebox/payments/authorization/eip-3009'
 * import { receiptProvesPayment } from '@farebox/payments/chain/chain-proof'
 * import { readReceipt } from '@farebox/payments/chain/chain-receipt'
 * import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
 * import type { Network } from '@farebox/payments/networks'
 *
 * export async function isPaid(network: Network, payment: Authorization, hash: string): Promise<boolean> {
 *   const rpc = createJsonRpc('https://sepolia.base.org')
 *   const receipt = await readReceipt(rpc, hash)
 *   await rpc.close()
 *   return receipt !== undefined && receiptProvesPayment(network, payment, receipt)
 * }
 * ```
 */
export function receiptProvesPayment(
  network: Network,
  authorization: Authorization,
  receipt: ChainReceipt,
): boolean {
  if (!receipt.succeeded) return false
  const logs = receipt.logs.filter(log => log.address.toLowerCase() === network.asset.address)
  const payer = addressTopic(authorization.from)
  const used = logs.findIndex(
    log =>
      log.topics[0] === AUTHORIZATION_USED_TOPIC &&
      log.topics[1] === payer &&
      log.topics[2] === authorization.nonce,
  )
  if (used === -1) return false
  // The token emits the transfer directly after the use event; a batch may contain an identical transfer for another nonce.
  const transfer = logs[used + 1]
  return (
    transfer !== undefined &&
    transfer.topics[0] === TRANSFER_TOPIC &&
    transfer.topics[1] === payer &&
    transfer.topics[2] === addressTopic(authorization.to) &&
    transfer.data.toLowerCase() === `0x${word(quantity(BigInt(authorization.value)))}`
  )
}
