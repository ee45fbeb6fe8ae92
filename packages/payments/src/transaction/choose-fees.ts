import { JsonRpcError, type JsonRpc } from '../chain/json-rpc.ts'
import { isQuantity } from '../chain/rpc-words.ts'

/** The price of a unit of gas (EIP-1559), in wei. */
export interface GasFees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** Current fees, and the base fee of the latest block, in wei. */
export interface ChosenFees extends GasFees {
  readonly baseFeePerGas: bigint
}

/** The tip when the node suggests none: 0.001 gwei, the minimum of rollups. */
const LEAST_TIP_WEI = 1_000_000n

/**
 * The fees that a transaction should offer now, before any cap.
 *
 * The tip is the node's suggestion, limited to the base fee: suggestions follow recent tips of others, who may raise them on
 * purpose. When blocks are full the base fee is high anyway; a transaction that is still stuck is sent again with a higher
 * tip. Twice the base fee is sufficient for six full blocks, each of which raises it by an eighth.
 *
 * @throws {Error} for a chain without EIP-1559
 */
export async function chooseFees(rpc: Pick<JsonRpc, 'call'>): Promise<ChosenFees> {
  const [block, suggested] = await Promise.all([
    rpc.call('eth_getBlockByNumber', ['latest', false]),
    readTip(rpc),
  ])
  const base =
    typeof block === 'object' && block !== null && 'baseFeePerGas' in block ? block.baseFeePerGas : undefined
  if (!isQuantity(base))
    throw new Error('the node gave no base fee: chains without EIP-1559 are not supported')
  const baseFeePerGas = BigInt(base)
  const mostTip = baseFeePerGas > LEAST_TIP_WEI ? baseFeePerGas : LEAST_TIP_WEI
  const maxPriorityFeePerGas = suggested < mostTip ? suggested : mostTip
  return { baseFeePerGas, maxPriorityFeePerGas, maxFeePerGas: baseFeePerGas * 2n + maxPriorityFeePerGas }
}

async function readTip(rpc: Pick<JsonRpc, 'call'>): Promise<bigint> {
  try {
    const tip = await rpc.call('eth_maxPriorityFeePerGas', [])
    return isQuantity(tip) && BigInt(tip) > LEAST_TIP_WEI ? BigInt(tip) : LEAST_TIP_WEI
  } catch (error) {
    if (error instanceof JsonRpcError) return LEAST_TIP_WEI
    throw error
  }
}
