import { addressWord, bytes32Word } from '../abi-words.ts'
import { SPEND_PERMISSIONS_ADDRESS } from '../addresses.ts'

/**
 * Calls that read spend limits from SpendPermissions and from the token, encoded by hand. Results are amounts in atomic
 * units.
 */

type Hex = `0x${string}`

/** `statusOf(bytes32)`. */
const STATUS_OF = '0xc7df14e2'
/** `isRecipient(bytes32,address)`. */
const IS_RECIPIENT = '0x1e4c9d09'
/** `totalLeft(address,address)`. */
const TOTAL_LEFT = '0x44d13184'
/** `permissionsOf(address,address)`. */
const PERMISSIONS_OF = '0xe70907b6'
/** `allowance(address,address)` of ERC-20. */
const ALLOWANCE = '0xdd62ed3e'
/** `nonces(address)` of EIP-2612. */
const NONCES = '0x7ecebe00'

/** `DOMAIN_SEPARATOR()` of the token. */
export const DOMAIN_SEPARATOR_CALL = '0x3644e515'

/** `PERMIT_TYPEHASH()` of the token. */
export const PERMIT_TYPEHASH_CALL = '0x30adf81f'

/** The first topic of `PermissionSet`. */
export const PERMISSION_SET_TOPIC = '0x29a5daccb84c2bd5ceb518dc6f4be8cf65185afdc91948733a898b4787e36a0e'

/** A permission, as `statusOf` returns it. */
export interface PermissionStatus {
  /** Zero: never set, or revoked. */
  readonly limit: bigint
  readonly cap: bigint
  readonly spent: bigint
  /** Unix seconds. */
  readonly expiry: bigint
  /** How often it was set or revoked. */
  readonly nonce: bigint
  /** It is restricted to listed recipients. */
  readonly isListed: boolean
}

/** Encodes the call that reads a permission by its id. */
export function encodeStatusOf(id: string): Hex {
  return `${STATUS_OF}${bytes32Word(id)}`
}

/** Decodes the result of {@link encodeStatusOf}; undefined when it has another form. */
export function readStatusOf(answer: unknown): PermissionStatus | undefined {
  const [limit, cap, spent, expiry, nonce, listed] = readWords(answer)
  if (limit === undefined || cap === undefined || spent === undefined) return undefined
  if (expiry === undefined || nonce === undefined || listed === undefined) return undefined
  return { limit, cap, spent, expiry, nonce, isListed: listed !== 0n }
}

/** Encodes the call that checks whether a permission allows a recipient. */
export function encodeIsRecipient(id: string, recipient: string): Hex {
  return `${IS_RECIPIENT}${bytes32Word(id)}${addressWord(recipient)}`
}

/** Encodes the call that reads the remaining total of an owner's live permissions in a token. */
export function encodeTotalLeft(owner: string, token: string): Hex {
  return `${TOTAL_LEFT}${addressWord(owner)}${addressWord(token)}`
}

/** Encodes the call that reads the ids of an owner's permissions in a token, including expired ones. */
export function encodePermissionsOf(owner: string, token: string): Hex {
  return `${PERMISSIONS_OF}${addressWord(owner)}${addressWord(token)}`
}

/** Encodes the call that reads an owner's allowance for a spender from a token; the default spender is SpendPermissions. */
export function encodeAllowance(owner: string, spender: string = SPEND_PERMISSIONS_ADDRESS): Hex {
  return `${ALLOWANCE}${addressWord(owner)}${addressWord(spender)}`
}

/** Encodes the call that reads the nonce of an owner's next permit from a token. */
export function encodeNonces(owner: string): Hex {
  return `${NONCES}${addressWord(owner)}`
}

/** The words of a result as numbers; empty when it has another form. */
export function readWords(answer: unknown): readonly bigint[] {
  if (typeof answer !== 'string' || !/^0x(?:[0-9a-f]{64})+$/i.test(answer)) return []
  return (answer.slice(2).match(/.{64}/g) ?? []).map(word => BigInt(`0x${word}`))
}
