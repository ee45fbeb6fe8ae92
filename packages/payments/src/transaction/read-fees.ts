import { JsonRpcError, type JsonRpc } from '../chain/json-rpc.ts'
import { isQuantity } from '../chain/rpc-words.ts'

/** What a unit of gas may cost (EIP-1559), in wei. */
export interface GasFees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** Where a node does not suggest a tip: 0.001 gwei, the least that rollups ask. */
const LEAST_TIP_WEI = 1_000_000n

/**
 * What a transaction should offer now. Twice the base fee stays above it through six full blocks, each of which raises
 * it by an eighth.
 *
 * @throws {Error} for a chain without EIP-1559
 */
export async function readFees(rpc: JsonRpc): Promise<GasFees> {
  const [block, tip] = await Promise.all([rpc.call('eth_getBlockByNumber', ['latest', false]), readTip(rpc)])
  const base =
    typeof block === 'object' && block !== null && 'baseFeePerGas' in block ? block.baseFeePerGas : undefined
  if (!isQuantity(base))
    throw new Error('the node gave no base fee: chains without EIP-1559 are not supported')
  return { maxFeePerGas: BigInt(base) * 2n + tip, maxPriorityFeePerGas: tip }
}

async function readTip(rpc: JsonRpc): Promise<bigint> {
  try {
    const tip = await rpc.call('eth_maxPriorityFeePerGas', [])
    return isQuantity(tip) && BigInt(tip) > LEAST_TIP_WEI ? BigInt(tip) : LEAST_TIP_WEI
  } catch (error) {
    if (error instanceof JsonRpcError) return LEAST_TIP_WEI
    throw error
  }
}
