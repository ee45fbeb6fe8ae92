import type { JsonRpc } from '../chain/json-rpc.ts'
import { quantity } from '../chain/rpc-words.ts'
import { askForNumber } from './read-account.ts'

/** A call of a contract, as a transaction makes it. */
export interface TransactionCall {
  /** Address of who calls. */
  readonly from: string
  /** Of the contract. */
  readonly to: string
  readonly valueWei: bigint
  /** `0x` hex. */
  readonly callData: string
}

/** The gas of a call may differ in the block that it comes into: a quarter more than was estimated. */
const MARGIN_PERCENT = 125n

/**
 * Has the node run a call without sending it, and says how much gas a transaction should allow it. No price is named, so
 * that what the account holds is compared with the value alone.
 *
 * @throws {JsonRpcError} with the node's words where the call would be reverted, or the account holds less than the value
 */
export async function estimateGas(
  rpc: Pick<JsonRpc, 'call'>,
  { from, to, valueWei, callData }: TransactionCall,
): Promise<bigint> {
  const call = { from, to, value: quantity(valueWei), data: callData }
  return ((await askForNumber(rpc, 'eth_estimateGas', [call])) * MARGIN_PERCENT) / 100n
}
