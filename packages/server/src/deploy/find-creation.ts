import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { quantity } from '@farebox/payments/internal/chain/rpc-words'

/** Where a contract came from. */
export interface Creation {
  readonly blockNumber: bigint
  /** Undefined where no transaction of that block called the deployer proxy with its code. */
  readonly transactionHash: string | undefined
}

/**
 * Finds the block that created a contract, by halves; undefined where the node keeps no old states.
 *
 * @param callData - what the creating transaction carried
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
    // An answer that helps and is not needed: many nodes keep a hundred blocks.
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
