import { randomBytes } from 'node:crypto'
import { createAuthorizationHasher, type Authorization } from '@farebox/payments/authorization/eip-3009'
import { fromHex, toHex } from '@farebox/payments/internal/crypto/bytes'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Network } from '@farebox/payments/networks'

/** The terms of a payment in wire format; a case may make every field wrong. */
export interface DraftTerms {
  scheme: unknown
  network: unknown
  amount: unknown
  asset: unknown
  payTo: unknown
  maxTimeoutSeconds: unknown
  extra: { name: unknown; version: unknown }
}

/** A request for `/verify` or `/settle` that a case may change in any way before it is sent. */
export interface PaymentDraft {
  /** The body to send. */
  readonly body: {
    x402Version: unknown
    paymentPayload: {
      x402Version: unknown
      resource?: unknown
      accepted: DraftTerms
      payload: {
        authorization: { -readonly [field in keyof Authorization]: unknown }
        signature: string
      }
    }
    paymentRequirements: DraftTerms
    extensions?: unknown
  }
  /** The payer's address, lower-case. */
  readonly payer: string
  /** The originally signed authorization of the valid payment. */
  readonly signed: Authorization
  /** Signs the authorization again with changes, and with another domain or key when given. */
  sign(changes: Partial<Authorization>, options?: DraftSigning): void
  /** Applies a change to all terms in the JSON: the required and the accepted ones. */
  terms(change: Partial<DraftTerms>): void
}

/** Changes to how a draft is signed. */
export interface DraftSigning {
  readonly chainId?: number
  readonly verifyingContract?: string
  readonly name?: string
  readonly version?: string
  readonly key?: string
}

/** The data of a valid payment. */
export interface DraftParts {
  readonly crypto: EvmCrypto
  readonly network: Network
  readonly payerKey: string
  readonly payTo: string
  readonly amountAtomic: bigint
  readonly nowSeconds: number
}

/** Drafts a valid payment of the amount to the wallet, valid for five minutes from now. */
export function draftPayment(parts: DraftParts): PaymentDraft {
  const { crypto, network, payerKey, payTo, amountAtomic } = parts
  const payer = crypto.addressOf(fromHex(payerKey))
  const signed: Authorization = {
    from: payer,
    to: payTo.toLowerCase(),
    value: amountAtomic.toString(),
    validAfter: '0',
    validBefore: String(parts.nowSeconds + 300),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  }
  const terms = (): DraftTerms => ({
    scheme: 'exact',
    network: network.id,
    amount: amountAtomic.toString(),
    asset: network.asset.address,
    payTo,
    maxTimeoutSeconds: 60,
    extra: { ...network.asset.domain },
  })
  const body: PaymentDraft['body'] = {
    x402Version: 2,
    paymentPayload: { x402Version: 2, accepted: terms(), payload: { authorization: signed, signature: '' } },
    paymentRequirements: terms(),
  }
  const draft: PaymentDraft = {
    body,
    payer,
    signed,
    sign(changes, options = {}) {
      const authorization = { ...signed, ...changes }
      body.paymentPayload.payload = {
        authorization,
        signature: signAuthorization(crypto, network, authorization, options.key ?? payerKey, options),
      }
    },
    terms(change) {
      Object.assign(body.paymentPayload.accepted, change)
      Object.assign(body.paymentRequirements, change)
    },
  }
  draft.sign({})
  return draft
}

function signAuthorization(
  crypto: EvmCrypto,
  network: Network,
  authorization: Authorization,
  key: string,
  { chainId = network.chainId, verifyingContract, name, version }: DraftSigning,
): string {
  const { asset } = network
  const hasher = createAuthorizationHasher(crypto, {
    ...network,
    chainId,
    asset: {
      ...asset,
      address: verifyingContract ?? asset.address,
      domain: { name: name ?? asset.domain.name, version: version ?? asset.domain.version },
    },
  })
  return toHex(crypto.sign(hasher.hashTransfer(authorization), fromHex(key)))
}
