import type { JsonRpc } from '../chain/json-rpc.ts'
import { quantity } from '../chain/rpc-words.ts'
import { askForNumber } from './read-account.ts'

/** A contract call as part of a transaction. */
export interface TransactionCall {
  /** Address of the caller. */
  readonly from: string
  /** Address of the contract. */
  readonly to: string
  readonly valueWei: bigint
  /** `0x` hex. */
  readonly callData: string
}

/** The gas of a call may differ in the block that executes it: a quarter is added to the estimate. */
const MARGIN_PERCENT = 125n

/**
 * Estimates a call on the node and returns the gas limit for its transaction. No gas price is set, so the account's balance
 * is only compared with the value.
 *
 * @throws {JsonRpcError} with the node's message when the call would revert, or the balance is less than the value
 */
export async function estimateGas(
  rpc: Pick<JsonRpc, 'call'>,
  { from, to, valueWei, callData }: TransactionCall,
): Promise<bigint> {
  const call = { from, to, value: quantity(valueWei), data: callData }
  return ((await askForNumber(rpc, 'eth_estimateGas', [call])) * MARGIN_PERCENT) / 100n
}
