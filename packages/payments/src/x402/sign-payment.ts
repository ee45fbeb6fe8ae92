import { asHex, fromHex, toHex } from '../crypto/bytes.ts'
import {
  AUTHORIZATION_TYPES,
  createAuthorizationHasher,
  type Authorization,
} from '../authorization/eip-3009.ts'
import type { EvmCrypto } from '../crypto/evm-crypto.ts'
import type { Network } from '../networks.ts'
import {
  bindNonce,
  NONCE_EXTENSION,
  NONCE_SALT_BYTES,
  type NonceBinding,
} from '../authorization/nonce-binding.ts'
import { encodeHeader } from './payment-header.ts'
import type { PaymentRequirement } from './requirement.ts'

/** EIP-712 typed data of an authorization, as `eth_signTypedData_v4` and viem's accounts take it. */
export interface AuthorizationTypedData {
  readonly domain: {
    readonly name: string
    readonly version: string
    readonly chainId: number
    readonly verifyingContract: `0x${string}`
  }
  readonly types: typeof AUTHORIZATION_TYPES
  readonly primaryType: 'TransferWithAuthorization'
  readonly message: {
    readonly from: `0x${string}`
    readonly to: `0x${string}`
    readonly value: bigint
    readonly validAfter: bigint
    readonly validBefore: bigint
    readonly nonce: `0x${string}`
  }
}

/** A signer for a payer: a viem account fits, and a browser wallet needs one line of code. */
export interface PaymentSigner {
  readonly address: string
  /** 65 bytes as `0x` hex. */
  signTypedData(typedData: AuthorizationTypedData): Promise<string>
}

/**
 * A payment that is ready to be sent. Store `header` and the job_id together before the first request: they belong together.
 */
export interface SignedPayment {
  /** Value of `PAYMENT-SIGNATURE`. */
  readonly header: string
  readonly authorization: Authorization
  /** `0x` hex. */
  readonly signature: string
}

/** The terms of a payment to be signed. */
export interface PaymentTerms {
  readonly network: Network
  /** The entry of `accepts` that is paid; the caller has checked it. */
  readonly requirement: PaymentRequirement
  /** The job that the payment is bound to by its nonce (D13). */
  readonly binding: NonceBinding
  readonly nowSeconds: number
  /** Unix seconds; default now + the requirement's `maxTimeoutSeconds`. */
  readonly validBefore?: number
}

/**
 * Signs a payment for one job only (D13), valid for `maxTimeoutSeconds` from now.
 *
 * @example
 * ```ts
 * import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
 * import type { Network } from '@farebox/payments/networks'
 * import type { PaymentRequirement } from '@farebox/payments/x402/requirement'
 * import { privateKeySigner, signPayment } from '@farebox/payments/x402/sign-payment'
 *
 * // The value of `PAYMENT-SIGNATURE` for one job.
 * export async function pay(network: Network, requirement: PaymentRequirement, jobId: string) {
 *   const crypto = await loadEvmCrypto()
 *   const signer = privateKeySigner(crypto, process.env['PAYER_KEY'] ?? '')
 *   const binding = { endpoint: 'https://agent.example/execute', capability: 'count', jobId }
 *   const nowSeconds = Date.now() / 1_000
 *   const { header } = await signPayment(crypto, signer, { network, requirement, binding, nowSeconds })
 *   return header
 * }
 * ```
 */
export async function signPayment(
  crypto: Pick<EvmCrypto, 'keccak256'>,
  signer: PaymentSigner,
  terms: PaymentTerms,
): Promise<SignedPayment> {
  const { network, requirement } = terms
  const salt = globalThis.crypto.getRandomValues(new Uint8Array(NONCE_SALT_BYTES))
  const validBefore = terms.validBefore ?? Math.floor(terms.nowSeconds) + requirement.maxTimeoutSeconds
  const authorization: Authorization = {
    from: signer.address.toLowerCase(),
    to: requirement.payTo.toLowerCase(),
    value: requirement.amount,
    validAfter: '0',
    validBefore: String(validBefore),
    nonce: bindNonce(crypto, terms.binding, salt),
  }
  const signature = countFrom27(await signer.signTypedData(authorizationTypedData(network, authorization)))
  const header = encodeHeader({
    x402Version: 2,
    resource: {
      url: terms.binding.endpoint,
      description: terms.binding.capability,
      mimeType: 'application/json',
    },
    accepted: requirement,
    payload: { authorization, signature },
    extensions: { [NONCE_EXTENSION]: { salt: toHex(salt) } },
  })
  return { header, authorization, signature }
}

/** Converts the recovery id of wallets that count from 0; the token requires 27 or 28. Other values are unchanged. */
export function countFrom27(signature: string): string {
  if (signature.length !== 132 || !/0[01]$/.test(signature)) return signature
  return signature.slice(0, -2) + (signature.endsWith('0') ? '1b' : '1c')
}

/** The typed data that a wallet shows and signs; its domain comes from the built-in table (D4). */
export function authorizationTypedData(
  network: Network,
  authorization: Authorization,
): AuthorizationTypedData {
  return {
    domain: {
      ...network.asset.domain,
      chainId: network.chainId,
      verifyingContract: asHex(network.asset.address),
    },
    types: AUTHORIZATION_TYPES,
    primaryType: 'TransferWithAuthorization',
    message: {
      from: asHex(authorization.from),
      to: asHex(authorization.to),
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      nonce: asHex(authorization.nonce),
    },
  }
}

/** A signer that holds the key itself: for scripts, servers and test wallets. `privateKey` is 32 bytes of `0x` hex. */
export function privateKeySigner(
  crypto: Pick<EvmCrypto, 'keccak256' | 'sign' | 'addressOf'>,
  privateKey: string,
): PaymentSigner {
  const key = fromHex(privateKey)
  return {
    address: crypto.addressOf(key),
    async signTypedData({ domain, message }) {
      const network = {
        id: `eip155:${domain.chainId}`,
        chainId: domain.chainId,
        name: '',
        finalitySeconds: 0,
        asset: { address: domain.verifyingContract, symbol: 'USDC', decimals: 6, domain },
      } as const
      const digest = createAuthorizationHasher(crypto, network).hashTransfer({
        from: message.from,
        to: message.to,
        value: message.value.toString(),
        validAfter: message.validAfter.toString(),
        validBefore: message.validBefore.toString(),
        nonce: message.nonce,
      })
      return await Promise.resolve(toHex(crypto.sign(digest, key)))
    },
  }
}
