import type { JsonRpc } from './json-rpc.ts'
import { isQuantity } from './rpc-words.ts'

/** A log entry of a transaction, as nodes return it. */
export interface ChainLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

/** The parts of a mined transaction that serve as proof. */
export interface ChainReceipt {
  readonly transactionHash: string
  readonly succeeded: boolean
  readonly blockNumber: bigint
  readonly blockHash: string
  /** Its cost, if the node reports it. */
  readonly gasUsed?: bigint
  readonly gasPriceWei?: bigint
  readonly logs: readonly ChainLog[]
}

/**
 * Reads the receipt of a mined transaction; undefined while the node has none.
 *
 * @example
 * ```ts
 * import { readReceipt } from '@farebox/payments/chain/chain-receipt'
 * import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
 *
 * const rpc = createJsonRpc('https://sepolia.base.org')
 * const receipt = await readReceipt(rpc, `0x${'12'.repeat(32)}`)
 * console.log(receipt === undefined ? 'not mined' : receipt.succeeded ? 'succeeded' : 'reverted')
 * await rpc.close()
 * ```
 */
export async function readReceipt(
  rpc: Pick<JsonRpc, 'call'>,
  transactionHash: string,
): Promise<ChainReceipt | undefined> {
  return parseReceipt(await rpc.call('eth_getTransactionReceipt', [transactionHash]))
}

/** Converts a node's receipt; undefined for null or anything that is not a receipt. */
export function parseReceipt(value: unknown): ChainReceipt | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { transactionHash, status, blockNumber, blockHash, logs, gasUsed, effectiveGasPrice } = value as {
    [key: string]: unknown
  }
  if (typeof transactionHash !== 'string' || !isQuantity(blockNumber) || typeof blockHash !== 'string')
    return undefined
  if (!Array.isArray(logs)) return undefined
  return {
    transactionHash: transactionHash.toLowerCase(),
    succeeded: status === '0x1',
    blockNumber: BigInt(blockNumber),
    blockHash,
    ...(isQuantity(gasUsed) && { gasUsed: BigInt(gasUsed) }),
    ...(isQuantity(effectiveGasPrice) && { gasPriceWei: BigInt(effectiveGasPrice) }),
    logs: logs.filter(isLog),
  }
}

function isLog(value: unknown): value is ChainLog {
  return (
    typeof value === 'object' &&
    value !== null &&
    'address' in value &&
    typeof value.address === 'string' &&
    'topics' in value &&
    Array.isArray(value.topics) &&
    'data' in value &&
    typeof value.data === 'string' &&
    /^0x[0-9a-f]*$/i.test(value.data)
  )
}
