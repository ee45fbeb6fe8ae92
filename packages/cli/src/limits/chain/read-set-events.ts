import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { PERMISSION_SET_TOPIC } from '@farebox/contracts/internal/calls/permission-views'
import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import { fromHex, toHex } from '@farebox/payments/internal/crypto/bytes'
import type { OpenChain } from '../../chain/open-chain.ts'
import { nodeOf } from '../../register/registry/call-node.ts'

/** What a permission was set for; addresses and ids in lower case. */
export interface PermissionNames {
  readonly id: string
  readonly spender: string
  readonly token: string
  readonly agentId: bigint
  /** As the owner set it; untrusted text, because another program may have made the transaction. */
  readonly capability: string
  /** An empty list permits any recipient. */
  readonly recipients: readonly string[]
}

/**
 * Returns all permissions that an owner ever set, each in its latest form, ordered by when they were first set. Returns
 * `undefined` when the node does not provide logs from the beginning.
 */
export async function readSetEvents(
  chain: OpenChain,
  owner: string,
): Promise<readonly PermissionNames[] | undefined> {
  const filter = {
    address: SPEND_PERMISSIONS_ADDRESS,
    fromBlock: '0x0',
    toBlock: 'latest',
    topics: [PERMISSION_SET_TOPIC, `0x${owner.slice(2).padStart(64, '0')}`],
  }
  let logs: unknown
  try {
    logs = await nodeOf(chain).call('eth_getLogs', [filter])
  } catch (error) {
    if (error instanceof JsonRpcError) return undefined
    throw error
  }
  // A map keeps the position of a key's first insertion.
  const byId = new Map<string, PermissionNames>()
  for (const log of Array.isArray(logs) ? logs : []) {
    const names = readSetEvent(log)
    if (names !== undefined) byId.set(names.id, names)
  }
  return [...byId.values()]
}

/** Returns `undefined` for any other log, because a node's response is not trusted. */
function readSetEvent(log: unknown): PermissionNames | undefined {
  if (typeof log !== 'object' || log === null || !('topics' in log) || !('data' in log)) return undefined
  const { topics, data } = log
  if (!Array.isArray(topics) || typeof data !== 'string' || !/^0x(?:[0-9a-f]{64})+$/i.test(data))
    return undefined
  const id: unknown = topics[3]
  if (typeof id !== 'string') return undefined
  try {
    return { id: id.toLowerCase(), ...readPermission(fromHex(data)) }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Reads the permission in the event, and checks that the data at its offsets exists. */
function readPermission(bytes: Uint8Array): Omit<PermissionNames, 'id'> {
  const start = numberAt(bytes, 0)
  const at = (word: number): number => start + 32 * word
  const text = start + numberAt(bytes, at(4))
  const list = start + numberAt(bytes, at(8))
  const count = numberAt(bytes, list)
  if (count > 16) throw new RangeError('too many recipients')
  return {
    spender: addressAt(bytes, at(1)),
    token: addressAt(bytes, at(2)),
    agentId: BigInt(toHex(wordAt(bytes, at(3)))),
    capability: new TextDecoder().decode(sliceOf(bytes, text + 32, numberAt(bytes, text))),
    recipients: Array.from({ length: count }, (_, index) => addressAt(bytes, list + 32 * (index + 1))),
  }
}

function wordAt(bytes: Uint8Array, offset: number): Uint8Array {
  return sliceOf(bytes, offset, 32)
}

function numberAt(bytes: Uint8Array, offset: number): number {
  return Number(BigInt(toHex(wordAt(bytes, offset))))
}

function addressAt(bytes: Uint8Array, offset: number): string {
  return toHex(wordAt(bytes, offset).slice(12))
}

function sliceOf(bytes: Uint8Array, offset: number, length: number): Uint8Array {
  if (offset + length > bytes.length) throw new RangeError('the log ends before what it points at')
  return bytes.slice(offset, offset + length)
}
