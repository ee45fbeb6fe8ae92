import { scopeOf } from '@farebox/contracts/permission-calls'
import { spendPermissionsAbi } from '@farebox/contracts/spend-permissions'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { fromHex } from '@farebox/payments/internal/crypto/bytes'
import * as AbiEvent from 'ox/AbiEvent'
import type { ContractLog } from '../contract-events/read-chain.ts'
import { textOf, textsAsBytes } from '../contract-events/text-events.ts'
import { replaceUnstorable } from '../unstorable.ts'

/** An event of the SpendPermissions contract. Addresses and hashes are lower-case, amounts are atomic units. */
export type PermissionEvent = {
  readonly blockNumber: number
  /** Its index in the block. */
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
  /** Any text, shortened to 128 characters. */
  readonly capability: string
  readonly limit: bigint
  /** The cap in force in the contract: never below the amount spent. */
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
  /** The ref without its last byte, which is the same for all spends of a job. */
  readonly refPrefix: string
}

const MOST_CAPABILITY_CHARACTERS = 128

const SET = textsAsBytes(AbiEvent.fromAbi(spendPermissionsAbi, 'PermissionSet'))
const REVOKED = AbiEvent.fromAbi(spendPermissionsAbi, 'PermissionRevoked')
const SPENT = AbiEvent.fromAbi(spendPermissionsAbi, 'PermissionSpent')

/** The first topics of the events that are read, for a filter. */
export const PERMISSION_TOPICS: readonly `0x${string}`[] = [SET, REVOKED, SPENT].map(event =>
  AbiEvent.getSelector(event),
)

/** Decodes a log; `undefined` when it is not an event of the contract or cannot be decoded. */
export function readPermissionLog(
  crypto: Pick<EvmCrypto, 'keccak256'>,
  log: ContractLog,
): PermissionEvent | undefined {
  try {
    return readEvent(crypto, log)
  } catch {
    return undefined
  }
}

function readEvent(
  crypto: Pick<EvmCrypto, 'keccak256'>,
  { topics, data, ...of }: ContractLog,
): PermissionEvent | undefined {
  const log = { topics, data }
  switch (topics[0]) {
    case AbiEvent.getSelector(SET): {
      const event = AbiEvent.decode(SET, log)
      const { token, agentId, capability, limit, cap, expiry, recipients } = event.permission
      return {
        ...placeOf(of, event),
        kind: 'set',
        token: token.toLowerCase(),
        scope: scopeOf(crypto, agentId, fromHex(capability)),
        nonce: event.nonce,
        agentId,
        capability: storable(textOf(capability)),
        limit,
        cap: cap > event.spent ? cap : event.spent,
        expiry,
        recipients: recipients.map(recipient => recipient.toLowerCase()),
      }
    }
    case AbiEvent.getSelector(REVOKED): {
      const event = AbiEvent.decode(REVOKED, log)
      const { scope, nonce } = event
      return {
        ...placeOf(of, event),
        kind: 'revoked',
        token: event.token.toLowerCase(),
        scope: scope.toLowerCase(),
        nonce,
      }
    }
    case AbiEvent.getSelector(SPENT): {
      const event = AbiEvent.decode(SPENT, log)
      const spent = {
        token: event.token.toLowerCase(),
        recipient: event.to.toLowerCase(),
        amount: event.amount,
      }
      return { ...placeOf(of, event), ...spent, kind: 'spent', refPrefix: prefixOf(event.ref) }
    }
    default:
      return undefined
  }
}

function placeOf(
  { blockNumber, logIndex, transaction, blockAtMs }: Omit<ContractLog, 'topics' | 'data'>,
  { owner, spender, id }: { readonly owner: string; readonly spender: string; readonly id: string },
) {
  const parties = { owner: owner.toLowerCase(), spender: spender.toLowerCase() }
  return { blockNumber, logIndex, transaction, blockAtMs, permissionId: id.toLowerCase(), ...parties }
}

/** A ref of the contract without its last byte. */
export function prefixOf(ref: bigint): string {
  return `0x${(ref >> 8n).toString(16).padStart(62, '0')}`
}

function storable(capability: string): string {
  const characters = Array.from(capability.slice(0, 2 * MOST_CAPABILITY_CHARACTERS))
  return String(replaceUnstorable(characters.slice(0, MOST_CAPABILITY_CHARACTERS).join('')))
}
