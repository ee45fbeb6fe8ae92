import { readReceipt } from '@farebox/payments/chain/chain-receipt'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { LocalChain } from './start-chain.ts'

/** The number of the block that holds a transaction; undefined while there is none. */
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
