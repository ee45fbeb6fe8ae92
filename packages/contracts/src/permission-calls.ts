import { addressWord, bytes32Word, bytesOf, toDigits, uintWord } from './abi-words.ts'
import type { PermissionKey } from './permission-typed-data.ts'

/** The calls that a handler makes before and while it spends, encoded by hand, so that handlers load no ABI coder. */

type Hex = `0x${string}`

/** `spend(address,address,bytes32,address,uint256,uint256)`. */
const SPEND = '0x01c8e8af'
/** `available(address,address,address,bytes32)`. */
const AVAILABLE = '0x77103720'

/** Why SpendPermissions refused a spend, by the first four bytes of the revert data. */
const REFUSALS = new Map([
  ['0xb1a9c4a7', 'RefUsed'],
  ['0x39218f3b', 'NotPermitted'],
  ['0x4e3f8b30', 'PermissionExpired'],
  ['0xcbca5aa2', 'AmountZero'],
  ['0xbaf684fe', 'AboveLimit'],
  ['0x5ae8122a', 'AboveCap'],
  ['0x34f8da7b', 'RecipientNotListed'],
] as const)

/** The error with which SpendPermissions refused a spend. */
export type SpendRefusal = typeof REFUSALS extends Map<string, infer Name> ? Name : never

/** A spend, as the spender sends it. */
export interface Spend extends Omit<PermissionKey, 'spender'> {
  readonly to: Hex
  /** Atomic units. */
  readonly amount: bigint
  /**
   * A reference to the purpose: 0 to 2^256 - 1. Under a permission each can be used only once, forever. Of references that
   * differ only in the last byte, all but the first cost less gas.
   */
  readonly ref: bigint
}

/** The hash function that Ethereum uses. */
export interface Keccak {
  readonly keccak256: (bytes: Uint8Array) => Uint8Array
}

/** The scope of a permission as one word: the contract's `scopeOf`. The capability may be given as bytes. */
export function scopeOf({ keccak256 }: Keccak, agentId: bigint, capability: string | Uint8Array): Hex {
  const name = typeof capability === 'string' ? new TextEncoder().encode(capability) : capability
  const bytes = new Uint8Array(32 + name.length)
  bytes.set(bytesOf(uintWord(agentId)))
  bytes.set(name, 32)
  return toHex(keccak256(bytes))
}

/** The id of a permission in the contract's events and views: its `idOf`. */
export function permissionId({ keccak256 }: Keccak, key: PermissionKey): Hex {
  return toHex(keccak256(bytesOf(keyWords(key))))
}

/**
 * The data of the transaction that spends.
 *
 * @example
 * ```ts
 * import { encodeSpend, scopeOf } from '@farebox/contracts/permission-calls'
 * import { keccak256 } from 'viem'
 *
 * const scope = scopeOf({ keccak256: bytes => keccak256(bytes, 'bytes') }, 7n, 'buy')
 * const [owner, shop] = ['0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC', '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'] as const
 * const token = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
 * console.log(encodeSpend({ owner, token, scope, to: shop, amount: 250_000n, ref: 1n }))
 * ```
 */
export function encodeSpend({ owner, token, scope, to, amount, ref }: Spend): Hex {
  const key = [addressWord(owner), addressWord(token), bytes32Word(scope)]
  return `${SPEND}${[...key, addressWord(to), uintWord(amount), uintWord(ref)].join('')}`
}

/** The data of the call that reads how much one spend could move now. */
export function encodeAvailable(key: PermissionKey): Hex {
  return `${AVAILABLE}${keyWords(key)}`
}

/**
 * Decodes the result of {@link encodeAvailable}, in atomic units.
 *
 * @throws Error when it has another form: there is no SpendPermissions on this chain
 */
export function readAvailable(answer: unknown): bigint {
  if (typeof answer !== 'string' || !/^0x[0-9a-f]{64}$/i.test(answer))
    throw new Error('the node answered no amount: is SpendPermissions on this chain?')
  return BigInt(answer)
}

/** Why the contract refused, from the revert data of a call; undefined when the token refused, or there is no reason. */
export function spendRefusal(revertData: string): SpendRefusal | undefined {
  const names: ReadonlyMap<string, SpendRefusal> = REFUSALS
  return names.get(revertData.slice(0, 10).toLowerCase())
}

function keyWords({ owner, spender, token, scope }: PermissionKey): string {
  return [...[owner, spender, token].map(addressWord), bytes32Word(scope)].join('')
}

function toHex(bytes: Uint8Array): Hex {
  return `0x${toDigits(bytes)}`
}
