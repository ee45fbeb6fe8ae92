import { addressWord, bytesOf, textDigits, toDigits, uintWord } from './abi-words.ts'
import { SPEND_PERMISSIONS_ADDRESS } from './addresses.ts'
import type { Keccak } from './permission-calls.ts'

type Hex = `0x${string}`

/** The EIP-712 domain of a token's signed approvals, and the terms of one. */
export interface PermitTerms {
  readonly chainId: number
  readonly token: string
  /** The name in the token's EIP-712 domain. */
  readonly name: string
  readonly version: string
  readonly owner: string
  /** The whole allowance of SpendPermissions, in atomic units. */
  readonly value: bigint
  /** The token's next permit nonce for this owner. */
  readonly nonce: bigint
  /** Unix seconds: the last time at which the signature is accepted. */
  readonly deadline: bigint
}

/** EIP-712 type of a signed approval (EIP-2612). */
export const PERMIT_TYPES = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

/**
 * The typed data that an owner signs to make the allowance of SpendPermissions exactly `value` (EIP-2612).
 *
 * @example
 * ```ts
 * import { permitTypedData } from '@farebox/contracts/token-permit'
 * import type { PrivateKeyAccount } from 'viem'
 *
 * export async function approve(account: PrivateKeyAccount, value: bigint, nonce: bigint) {
 *   const deadline = BigInt(Math.floor(Date.now() / 1_000) + 3_600)
 *   const token = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
 *   const domain = { chainId: 84532, token, name: 'USDC', version: '2' }
 *   return await account.signTypedData(permitTypedData({ ...domain, owner: account.address, value, nonce, deadline }))
 * }
 * ```
 */
export function permitTypedData(terms: PermitTerms) {
  const { chainId, token, name, version, owner, value, nonce, deadline } = terms
  return {
    domain: { name, version, chainId, verifyingContract: hex(token) },
    types: PERMIT_TYPES,
    primaryType: 'Permit',
    message: { owner: hex(owner), spender: hex(SPEND_PERMISSIONS_ADDRESS), value, nonce, deadline },
  } as const
}

/** The hash of {@link permitTypedData} (EIP-712), for a signer that holds the key itself. */
export function permitDigest({ keccak256 }: Keccak, terms: PermitTerms): Uint8Array {
  const { chainId, token, name, version, owner, value, nonce, deadline } = terms
  const hash = (digits: string): string => toDigits(keccak256(bytesOf(digits)))
  const domain = hash(
    [
      hash(textDigits(DOMAIN_TYPE)),
      hash(textDigits(name)),
      hash(textDigits(version)),
      uintWord(BigInt(chainId)),
      addressWord(token),
    ].join(''),
  )
  const struct = hash(
    [
      hash(textDigits(PERMIT_TYPE)),
      ...[owner, SPEND_PERMISSIONS_ADDRESS].map(addressWord),
      ...[value, nonce, deadline].map(uintWord),
    ].join(''),
  )
  return keccak256(bytesOf(`1901${domain}${struct}`))
}

/** The hash of the permit's type, as the token's `PERMIT_TYPEHASH()` returns it. */
export function permitTypeHash({ keccak256 }: Keccak): Hex {
  return `0x${toDigits(keccak256(bytesOf(textDigits(PERMIT_TYPE))))}`
}

const DOMAIN_TYPE = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'

/** The type in the form that the token hashes. */
const PERMIT_TYPE = `Permit(${PERMIT_TYPES.Permit.map(({ type, name }) => `${type} ${name}`).join(',')})`

/** Narrows the type; addresses are checked where they are read. */
function hex(address: string): Hex {
  return `0x${address.slice(2)}`
}
