import { readReceipt } from '@farebox/payments/chain/chain-receipt'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { LocalChain } from './start-chain.ts'

/** Returns the number of the block that contains a transaction, or `undefined` while no block contains it. */
export async function settledIn(
  chain: Pick<LocalChain, 'rpcUrl'>,
  transaction: string,
): Promise<bigint | undefined> {
  const rpc = createJsonRpc(chain.rpcUrl)
  try {
    return (await readReceipt(rpc, transaction))?.blockNumber
  } finally {
    await rpc.close()
  }
}
