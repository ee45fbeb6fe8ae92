import { writeHex, writeUint256 } from '../crypto/bytes.ts'
import type { EvmCrypto } from '../crypto/evm-crypto.ts'
import type { Asset, Network } from '../networks.ts'

/**
 * The message that a payer signs: EIP-3009 `TransferWithAuthorization`, as transmitted. Addresses and nonce are lower-case
 * `0x` hex, numbers are decimal integer strings.
 */
export interface Authorization {
  readonly from: string
  readonly to: string
  /** Atomic units. */
  readonly value: string
  /** Unix seconds; the transfer is valid strictly after this time. */
  readonly validAfter: string
  /** Unix seconds; the transfer is valid strictly before this time. */
  readonly validBefore: string
  /** 32 bytes; each payer can use a nonce once. */
  readonly nonce: string
}

/** EIP-712 types of the authorization, in the form that wallets take. */
export const AUTHORIZATION_TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

const AUTHORIZATION_TYPE =
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)'
const CANCEL_TYPE = 'CancelAuthorization(address authorizer,bytes32 nonce)'
const DOMAIN_TYPE = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'

const WORD = 32

/** Hashes authorizations for one asset on one chain; created once, because the domain never changes. */
export interface AuthorizationHasher {
  /** The EIP-712 digest that the payer signs to pay. */
  hashTransfer(authorization: Authorization): Uint8Array
  /** The EIP-712 digest that the payer signs to revoke an unused nonce (`cancelAuthorization`). */
  hashCancel(authorizer: string, nonce: string): Uint8Array
  /** EIP-712 domain separator of the token, as its `DOMAIN_SEPARATOR()` returns it. */
  readonly domainSeparator: Uint8Array
}

/**
 * Creates the hasher for the asset of a network (EIP-712, EIP-3009).
 *
 * @example
 * ```ts
 * import { createAuthorizationHasher } from '@farebox/payments/authorization/eip-3009'
 * import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
 * import { findNetwork } from '@farebox/payments/networks'
 * import { decodePaymentHeader } from '@farebox/payments/x402/payment-header'
 *
 * // Lower-case hex of what the payer signed.
 * export async function digestOf(header: string): Promise<string | undefined> {
 *   const read = decodePaymentHeader(header)
 *   const network = read.ok ? findNetwork(read.payment.network) : undefined
 *   if (!read.ok || network === undefined) return undefined
 *   const hasher = createAuthorizationHasher(await loadEvmCrypto(), network)
 *   return Buffer.from(hasher.hashTransfer(read.payment.authorization)).toString('hex')
 * }
 * ```
 */
export function createAuthorizationHasher(
  crypto: Pick<EvmCrypto, 'keccak256'>,
  network: Network,
): AuthorizationHasher {
  const { keccak256 } = crypto
  const domainSeparator = hashDomain(keccak256, network.chainId, network.asset)
  const transferStruct = structBuffer(keccak256, AUTHORIZATION_TYPE, 6)
  const cancelStruct = structBuffer(keccak256, CANCEL_TYPE, 2)
  const envelope = new Uint8Array(2 + 2 * WORD)
  envelope.set([0x19, 0x01])
  envelope.set(domainSeparator, 2)
  const digestOf = (struct: Uint8Array): Uint8Array => {
    envelope.set(keccak256(struct), 2 + WORD)
    return keccak256(envelope)
  }
  // The buffers are reused: hashing is synchronous, so they never hold two authorizations at once.
  return {
    domainSeparator,
    hashTransfer(authorization) {
      transferStruct.fill(0, WORD)
      writeHex(transferStruct, WORD + 12, authorization.from)
      writeHex(transferStruct, 2 * WORD + 12, authorization.to)
      writeUint256(transferStruct, 3 * WORD, BigInt(authorization.value))
      writeUint256(transferStruct, 4 * WORD, BigInt(authorization.validAfter))
      writeUint256(transferStruct, 5 * WORD, BigInt(authorization.validBefore))
      writeHex(transferStruct, 6 * WORD, authorization.nonce)
      return digestOf(transferStruct)
    },
    hashCancel(authorizer, nonce) {
      cancelStruct.fill(0, WORD)
      writeHex(cancelStruct, WORD + 12, authorizer)
      writeHex(cancelStruct, 2 * WORD, nonce)
      return digestOf(cancelStruct)
    },
  }
}

/** The key by which a payment is claimed, held and settled everywhere; never derived from the bytes of a header (D6). */
export function paymentKey(network: Network, authorization: Pick<Authorization, 'from' | 'nonce'>): string {
  return `${network.chainId}:${network.asset.address}:${authorization.from}:${authorization.nonce}`
}

function structBuffer(keccak256: EvmCrypto['keccak256'], type: string, fields: number): Uint8Array {
  const struct = new Uint8Array((1 + fields) * WORD)
  struct.set(keccak256(new TextEncoder().encode(type)))
  return struct
}

function hashDomain(keccak256: EvmCrypto['keccak256'], chainId: number, asset: Asset): Uint8Array {
  const utf8 = new TextEncoder()
  const struct = structBuffer(keccak256, DOMAIN_TYPE, 4)
  struct.set(keccak256(utf8.encode(asset.domain.name)), WORD)
  struct.set(keccak256(utf8.encode(asset.domain.version)), 2 * WORD)
  writeUint256(struct, 3 * WORD, BigInt(chainId))
  writeHex(struct, 4 * WORD + 12, asset.address)
  return keccak256(struct)
}
