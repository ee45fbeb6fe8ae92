import { TRANSFER_TOPIC } from '@farebox/payments/chain/chain-proof'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { LocalChain } from '../../chain/start-chain.ts'

/** A transfer of USDC, its addresses lower-case, its amount in atomic units. */
export interface Transfer {
  readonly from: string
  readonly to: string
  readonly amountAtomic: bigint
}

/** A small number, because a block may contain hundreds of transfers. */
const BLOCKS_AT_ONCE = 20

/** Reads all transfers on the chain. */
export async function readTransfers(chain: LocalChain): Promise<readonly Transfer[]> {
  const rpc = createJsonRpc(chain.rpcUrl)
  try {
    const head = Number(await rpc.call('eth_blockNumber', []))
    const all: Transfer[] = []
    for (let from = 0; from <= head; from += BLOCKS_AT_ONCE) {
      const range = {
        fromBlock: `0x${from.toString(16)}`,
        toBlock: `0x${Math.min(head, from + BLOCKS_AT_ONCE - 1).toString(16)}`,
      }
      const logs = await rpc.call('eth_getLogs', [
        { address: chain.usdc, topics: [TRANSFER_TOPIC], ...range },
      ])
      all.push(...(logs as readonly Log[]).map(readTransfer))
    }
    return all
  } finally {
    await rpc.close()
  }
}

interface Log {
  readonly topics: readonly string[]
  readonly data: string
}

function readTransfer({ topics, data }: Log): Transfer {
  const addressOf = (topic = ''): string => `0x${topic.slice(26).toLowerCase()}`
  return { from: addressOf(topics[1]), to: addressOf(topics[2]), amountAtomic: BigInt(data) }
}
