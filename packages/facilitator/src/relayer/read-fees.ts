import type { Log } from '@farebox/server/log'
import type { Fees } from './account/relayer-account.ts'
import type { RelayerNode } from './account/relayer-node.ts'

/** The dependencies of choosing fees. */
export interface FeeParts {
  readonly node: RelayerNode
  readonly log: Log
  /** The most a unit of gas may cost, in wei. */
  readonly maxFeePerGas: bigint
}

/**
 * The fees that a transaction offers now; undefined when gas costs more than the cap. Rejects when the node gives no answer.
 */
export async function readFees({ node, log, maxFeePerGas: cap }: FeeParts): Promise<Fees | undefined> {
  const { baseFeePerGas, maxFeePerGas, maxPriorityFeePerGas } = await node.fees()
  if (baseFeePerGas + maxPriorityFeePerGas > cap) {
    log.error('the gas price is above the cap; settlements are waiting', { baseFeePerGas, cap })
    return undefined
  }
  return { maxFeePerGas: maxFeePerGas < cap ? maxFeePerGas : cap, maxPriorityFeePerGas }
}
