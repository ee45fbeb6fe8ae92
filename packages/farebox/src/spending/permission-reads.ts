import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { encodeAvailable, permissionId, readAvailable } from '@farebox/contracts/permission-calls'
import type { PermissionKey } from '@farebox/contracts/permission-typed-data'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { addressTopic, isQuantity, quantity } from '@farebox/payments/internal/chain/rpc-words'
import { toHex } from '@farebox/payments/internal/crypto/bytes'

/**
 * The state of a ref: used in a block, used by a transaction that the node knows, or unused as far as the node knows.
 */
export type RefState = 'used' | 'pending' | 'free'

/** A spend in a block. */
export interface PastSpend {
  readonly transaction: string
  readonly to: string
  readonly amountAtomic: bigint
}

/** Reads a permission's state from the chain. Every method rejects when the node gives no answer. */
export interface PermissionReads {
  /** The amount that one spend could move after all transactions known to the node, in atomic units. */
  available(key: PermissionKey): Promise<bigint>
  refState(key: PermissionKey, ref: bigint): Promise<RefState>
  /** The spend that used a ref; undefined when it is not in the searched blocks. */
  findSpend(key: PermissionKey, ref: bigint): Promise<PastSpend | undefined>
}

/** Public nodes allow at most 5,000 blocks per `eth_getLogs`, and the head advances during the search. */
const LOG_RANGE_BLOCKS = 4_900n
/** About three weeks with a block time of two seconds. */
const MOST_RANGES = 200

const IS_REF_USED = 'isRefUsed(bytes32,uint256)'
const PERMISSION_SPENT = 'PermissionSpent(address,address,bytes32,address,address,uint256,uint256)'

/** Makes the reads of SpendPermissions through a node. */
export function createPermissionReads(
  rpc: Pick<JsonRpc, 'call'>,
  crypto: Pick<EvmCrypto, 'keccak256'>,
): PermissionReads {
  const hashOf = (text: string): string => toHex(crypto.keccak256(new TextEncoder().encode(text)))
  const isRefUsedSelector = hashOf(IS_REF_USED).slice(0, 10)
  const spentTopic = hashOf(PERMISSION_SPENT)
  const call = async (data: string, block: 'latest' | 'pending'): Promise<unknown> =>
    await rpc.call('eth_call', [{ to: SPEND_PERMISSIONS_ADDRESS, data }, block])
  const isRefUsed = async (id: string, ref: bigint, block: 'latest' | 'pending'): Promise<boolean> => {
    const answer = await call(`${isRefUsedSelector}${id.slice(2)}${wordOf(ref)}`, block)
    if (typeof answer !== 'string' || !/^0x0{63}[01]$/.test(answer))
      throw new Error('isRefUsed: the node gave no answer: is SpendPermissions on this chain?')
    return answer.endsWith('1')
  }
  return {
    available: async key => readAvailable(await call(encodeAvailable(key), 'pending')),
    async refState(key, ref) {
      const id = permissionId(crypto, key)
      if (await isRefUsed(id, ref, 'latest')) return 'used'
      return (await isRefUsed(id, ref, 'pending')) ? 'pending' : 'free'
    },
    async findSpend(key, ref) {
      const topics = [
        spentTopic,
        addressTopic(key.owner),
        addressTopic(key.spender),
        permissionId(crypto, key),
      ]
      const head = await rpc.call('eth_blockNumber', [])
      if (!isQuantity(head)) throw new Error('eth_blockNumber: the node gave no number')
      let end = BigInt(head)
      let toBlock = 'latest'
      for (let range = 0; range < MOST_RANGES; range += 1) {
        const start = end >= LOG_RANGE_BLOCKS ? end - LOG_RANGE_BLOCKS + 1n : 0n
        const filter = { address: SPEND_PERMISSIONS_ADDRESS, fromBlock: quantity(start), toBlock, topics }
        const found = pickSpend(await rpc.call('eth_getLogs', [filter]), ref)
        if (found !== undefined || start === 0n) return found
        end = start - 1n
        toBlock = quantity(end)
      }
      return undefined
    },
  }
}

/**
 * Finds the spend with this ref. The event's data has the words that are not indexed: token, recipient, amount, ref.
 */
function pickSpend(logs: unknown, ref: bigint): PastSpend | undefined {
  if (!Array.isArray(logs)) throw new Error('eth_getLogs: the node gave no list')
  for (const log of logs as readonly unknown[]) {
    const { data, transactionHash } = Object(log) as { readonly [key: string]: unknown }
    if (typeof data !== 'string' || typeof transactionHash !== 'string') continue
    const words = /^0x[0-9a-f]{256}$/i.test(data) ? data.slice(2).match(/.{64}/g) : undefined
    const [, to = '', amount = '', used = ''] = words ?? []
    if (words === undefined || words === null || BigInt(`0x${used}`) !== ref) continue
    return {
      transaction: transactionHash.toLowerCase(),
      to: `0x${to.slice(24).toLowerCase()}`,
      amountAtomic: BigInt(`0x${amount}`),
    }
  }
  return undefined
}

function wordOf(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}
