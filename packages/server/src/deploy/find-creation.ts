import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { quantity } from '@farebox/payments/internal/chain/rpc-words'

/** The creation of a contract. */
export interface Creation {
  readonly blockNumber: bigint
  /** Undefined when no transaction of that block called the deployer proxy with the contract's code. */
  readonly transactionHash: string | undefined
}

/**
 * Finds the block that created a contract by binary search; undefined when the node does not keep old states.
 *
 * @param callData - the call data of the creating transaction
 */
export async function findCreation(
  rpc: JsonRpc,
  address: string,
  callData: string,
): Promise<Creation | undefined> {
  try {
    const blockNumber = await findBlock(rpc, address)
    const block = await rpc.call('eth_getBlockByNumber', [quantity(blockNumber), true])
    return { blockNumber, transactionHash: findTransaction(block, callData) }
  } catch {
    // The result is useful but not required: many nodes keep only a hundred blocks.
    return undefined
  }
}

async function findBlock(rpc: JsonRpc, address: string): Promise<bigint> {
  let [without, withCode] = [-1n, BigInt(String(await rpc.call('eth_blockNumber', [])))]
  while (withCode - without > 1n) {
    const middle = (without + withCode) / 2n
    const code = await rpc.call('eth_getCode', [address, quantity(middle)])
    if (code === '0x') without = middle
    else withCode = middle
  }
  return withCode
}

function findTransaction(block: unknown, callData: string): string | undefined {
  const { transactions } = block as { readonly transactions: readonly { [key: string]: unknown }[] }
  const found = transactions.find(({ input }) => String(input).toLowerCase() === callData)
  return found === undefined ? undefined : String(found['hash'])
}
