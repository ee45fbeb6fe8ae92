import { scopeOf } from '@farebox/contracts/permission-calls'
import { spendPermissionsAbi } from '@farebox/contracts/spend-permissions'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { decodeEventLog, encodeEventTopics } from 'viem'
import type { ContractLog } from '../contract-events/read-chain.ts'
import { replaceUnstorable } from '../unstorable.ts'

/** Something that the SpendPermissions contract said. Addresses and hashes are lower-case, amounts atomic units. */
export type PermissionEvent = {
  readonly blockNumber: number
  /** Its place in the block. */
  readonly logIndex: number
  readonly permissionId: string
  readonly owner: string
  readonly spender: string
  readonly token: string
  readonly transaction: string
  readonly blockAtMs: number
} & (PermissionSet | PermissionRevoked | PermissionSpent)

interface PermissionSet {
  readonly kind: 'set'
  readonly scope: string
  readonly nonce: bigint
  readonly agentId: bigint
  /** Any text; at most 128 characters of it. */
  readonly capability: string
  readonly limit: bigint
  /** As far as the contract keeps it: never below what was spent. */
  readonly cap: bigint
  /** Unix seconds. */
  readonly expiry: bigint
  readonly recipients: readonly string[]
}

interface PermissionRevoked {
  readonly kind: 'revoked'
  readonly scope: string
  readonly nonce: bigint
}

interface PermissionSpent {
  readonly kind: 'spent'
  readonly recipient: string
  readonly amount: bigint
  /** The ref without its last byte: the same for all spends of a job. */
  readonly refPrefix: string
}

const MOST_CAPABILITY_CHARACTERS = 128

/** The first topics of the events that are followed, for a filter. */
export const PERMISSION_TOPICS: readonly `0x${string}`[] = (
  ['PermissionSet', 'PermissionRevoked', 'PermissionSpent'] as const
).map(eventName => {
  const [topic] = encodeEventTopics({ abi: spendPermissionsAbi, eventName })
  if (topic === undefined) throw new Error(`${eventName} has no topic`)
  return topic
})

/** What a log says; undefined where it is no event of the contract, or its bytes do not decode. */
export function readPermissionLog(
  crypto: Pick<EvmCrypto, 'keccak256'>,
  log: ContractLog,
): PermissionEvent | undefined {
  const decoded = decode(log)
  if (decoded === undefined) return undefined
  const { blockNumber, logIndex, transaction, blockAtMs } = log
  const { owner, spender, id } = decoded.args
  const place = { blockNumber, logIndex, transaction, blockAtMs, permissionId: id.toLowerCase() }
  const parties = { ...place, owner: owner.toLowerCase(), spender: spender.toLowerCase() }
  switch (decoded.eventName) {
    case 'PermissionSet': {
      const { permission, spent, nonce } = decoded.args
      const { token, agentId, capability, limit, cap, expiry, recipients } = permission
      return {
        ...parties,
        kind: 'set',
        token: token.toLowerCase(),
        scope: scopeOf(crypto, agentId, capability),
        nonce,
        agentId,
        capability: storable(capability),
        limit,
        cap: cap > spent ? cap : spent,
        expiry,
        recipients: recipients.map(recipient => recipient.toLowerCase()),
      }
    }
    case 'PermissionRevoked': {
      const { token, scope, nonce } = decoded.args
      return { ...parties, kind: 'revoked', token: token.toLowerCase(), scope: scope.toLowerCase(), nonce }
    }
    case 'PermissionSpent': {
      const { token, to, amount, ref } = decoded.args
      const spent = { token: token.toLowerCase(), recipient: to.toLowerCase(), amount }
      return { ...parties, ...spent, kind: 'spent', refPrefix: prefixOf(ref) }
    }
  }
}

/** A ref of the contract without its last byte. */
export function prefixOf(ref: bigint): string {
  return `0x${(ref >> 8n).toString(16).padStart(62, '0')}`
}

function decode({ topics, data }: ContractLog) {
  const [first, ...rest] = topics
  if (first === undefined) return undefined
  try {
    return decodeEventLog({ abi: spendPermissionsAbi, topics: [first, ...rest], data })
  } catch {
    return undefined
  }
}

function storable(capability: string): string {
  const characters = Array.from(capability.slice(0, 2 * MOST_CAPABILITY_CHARACTERS))
  return String(replaceUnstorable(characters.slice(0, MOST_CAPABILITY_CHARACTERS).join('')))
}
