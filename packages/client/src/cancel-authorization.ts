import { asHex, fromHex, toHex } from '@farebox/payments/internal/crypto/bytes'
import { createAuthorizationHasher } from '@farebox/payments/authorization/eip-3009'
import { sameAddress } from '@farebox/payments/crypto/address'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { countFrom27 } from '@farebox/payments/x402/sign-payment'
import { readJournalEntry, type JournalEntry } from './attempt/journal-entry.ts'

/** EIP-712 types of a cancellation (EIP-3009), in the form that wallets take. */
export const CANCEL_TYPES = {
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

/** EIP-712 typed data of a cancellation, as `eth_signTypedData_v4` and viem's accounts take it. */
export interface CancelTypedData {
  readonly domain: {
    readonly name: string
    readonly version: string
    readonly chainId: number
    readonly verifyingContract: `0x${string}`
  }
  readonly types: typeof CANCEL_TYPES
  readonly primaryType: 'CancelAuthorization'
  readonly message: { readonly authorizer: `0x${string}`; readonly nonce: `0x${string}` }
}

/**
 * A signer of cancellations. Separate from `PaymentSigner`, so that no signer gets typed data that it does not know; a viem
 * account is both.
 */
export interface CancelSigner {
  readonly address: string
  /** 65 bytes as `0x` hex. */
  signTypedData(typedData: CancelTypedData): Promise<string>
}

/** A call of the token that revokes the authorization. Any account may send it and pay its gas, not only the payer. */
export interface CancelCall {
  /** `eip155:<chain id>` */
  readonly network: string
  /** Address of the token. */
  readonly to: string
  /** Calldata as `0x` hex. */
  readonly data: string
}

/** Selector of `cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)`, EIP-3009. */
const CANCEL_SELECTOR = '0x5a049a70'

const SIGNATURE = /^0x[0-9a-fA-F]{130}$/

/**
 * Signs the cancellation of a payment, and builds the token call that executes it (EIP-3009). Once that call is mined the
 * authorization can never be charged, and the same work may be paid again. Until then it can still be charged; if both
 * transactions are in flight, the chain decides which comes first.
 *
 * @param entry the journalled pair: the entry given to `journal`, or `attempt.entry` of an error
 * @throws {TypeError} when the entry is not a payment of this signer, or the signature is not 65 bytes
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * import { cancelAuthorization, privateKeyCancelSigner } from '@farebox/client/cancel-authorization'
 * import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
 *
 * const payer = privateKeyCancelSigner(await loadEvmCrypto(), process.env['PAYER_KEY'] ?? '')
 * const { to, data } = await cancelAuthorization(JSON.parse(await readFile('job.json', 'utf8')), payer)
 * console.log(`send a transaction to ${to} with data ${data}`)
 * ```
 */
export async function cancelAuthorization(entry: JournalEntry, signer: CancelSigner): Promise<CancelCall> {
  const { network, authorization } = readJournalEntry(entry)
  const { from, nonce } = authorization
  if (!sameAddress(signer.address, from)) {
    throw new TypeError(`only ${from} can take this payment back, the signer is ${signer.address}`)
  }
  const signature = countFrom27(await signer.signTypedData(cancelTypedData(network, from, nonce)))
  if (!SIGNATURE.test(signature)) throw new TypeError('the signature of a cancellation must be 65 bytes')
  const bytes = fromHex(signature)
  const [r, s, v] = [toHex(bytes.subarray(0, 32)), toHex(bytes.subarray(32, 64)), toHex(bytes.subarray(64))]
  const words = [from, nonce, v, r, s].map(word)
  return { network: network.id, to: network.asset.address, data: CANCEL_SELECTOR + words.join('') }
}

/** The typed data that a wallet shows and signs; its domain comes from the built-in table. */
export function cancelTypedData(network: Network, authorizer: string, nonce: string): CancelTypedData {
  return {
    domain: {
      ...network.asset.domain,
      chainId: network.chainId,
      verifyingContract: asHex(network.asset.address),
    },
    types: CANCEL_TYPES,
    primaryType: 'CancelAuthorization',
    message: { authorizer: asHex(authorizer), nonce: asHex(nonce) },
  }
}

/** A signer of cancellations that holds the key itself, like `privateKeySigner` for payments. */
export function privateKeyCancelSigner(crypto: EvmCrypto, privateKey: string): CancelSigner {
  const key = fromHex(privateKey)
  return {
    address: crypto.addressOf(key),
    async signTypedData({ domain, message }) {
      const network = findNetwork(`eip155:${domain.chainId}`)
      if (network === undefined) throw new TypeError(`chain ${domain.chainId} is not known`)
      const digest = createAuthorizationHasher(crypto, network).hashCancel(message.authorizer, message.nonce)
      return await Promise.resolve(toHex(crypto.sign(digest, key)))
    },
  }
}

function word(value: string): string {
  return value.slice(2).toLowerCase().padStart(64, '0')
}
