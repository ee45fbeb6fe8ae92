import type { Authorization } from './authorization.ts'
import type { PaymentRequirement } from './requirement.ts'

/**
 * What travels between an agent and a facilitator: the standard x402 HTTP API, and our hold extension on top of it
 * (D9, D10). A facilitator that does not know the extension ignores its part of each message.
 */

/** The name of the extension, in `/supported` and as the key of `extensions`. */
export const HOLD_EXTENSION = 'farebox-hold'

/** The x402 v2 envelope we send on, rebuilt from what was checked; never the bytes of a stranger. */
export interface PaymentPayload {
  readonly x402Version: 2
  readonly accepted: PaymentRequirement
  readonly payload: { readonly authorization: Authorization; readonly signature: string }
}

/** Body of `POST /verify` and of `POST /settle`. */
export interface FacilitatorRequest {
  readonly x402Version: 2
  readonly paymentPayload: PaymentPayload
  readonly paymentRequirements: PaymentRequirement
  readonly extensions?: { readonly [HOLD_EXTENSION]?: HoldRequest }
}

/** Our part of a verify or settle request. */
export interface HoldRequest {
  /** {@link holdBinding}: what this payment is for. The first binding of a payment key is kept, another refused. */
  readonly binding: string
  /** Unix seconds: until when the amount should stay reserved; only `/verify` reads it. */
  readonly holdUntil?: number
}

/** Answer of `POST /verify`. */
export interface VerifyResponse {
  readonly isValid: boolean
  readonly payer?: string
  readonly invalidReason?: string
  readonly invalidMessage?: string
  readonly extensions?: { readonly [HOLD_EXTENSION]?: Hold }
}

/** A reservation of the payer's balance, made by a valid `/verify`. */
export interface Hold {
  readonly holdId: string
  /** Unix seconds. */
  readonly holdUntil: number
}

/** Answer of `POST /settle`; also what `PAYMENT-RESPONSE` carries. */
export interface SettleResponse {
  readonly success: boolean
  /** Transaction hash; empty where there is none. */
  readonly transaction: string
  readonly network: string
  readonly payer?: string
  readonly amount?: string
  /** {@link SETTLEMENT_PENDING} means: not known yet, ask again with the same payload. */
  readonly errorReason?: string
  readonly errorMessage?: string
}

/** Body of `POST /release`: gives a hold back without charging. An unknown or replaced hold is no error. */
export interface ReleaseRequest {
  readonly holdId: string
}

/** Answer of `POST /release`. */
export interface ReleaseResponse {
  /** False where the hold was already captured, replaced, expired or unknown. */
  readonly released: boolean
}

/** Answer of `GET /supported`. */
export interface SupportedResponse {
  readonly kinds: readonly {
    readonly x402Version: number
    readonly scheme: string
    readonly network: string
  }[]
  readonly extensions: readonly string[]
  readonly signers: { readonly [family: string]: readonly string[] }
}

/** The one `errorReason` that is neither success nor failure (x402, settle). */
export const SETTLEMENT_PENDING = 'settlement_pending'

/**
 * Administration of FACILITATOR_SECRETs, for the platform, with its service token (D10).
 *
 * `POST /secrets` → {@link CreatedSecret} · `GET /secrets?owner=` → {@link SecretSummary}[] ·
 * `DELETE /secrets/:id` → 204 · `PUT /secrets/:id/wallets`.
 */
export interface CreateSecretRequest {
  /** Who it belongs to: an address or an account id of the platform. */
  readonly owner: string
  /** The wallets this secret may take payments to. */
  readonly wallets: readonly string[]
}

/** The only time the secret itself is shown. */
export interface CreatedSecret extends SecretSummary {
  readonly secret: string
}

/** What is told of a secret afterwards. */
export interface SecretSummary {
  readonly id: string
  readonly owner: string
  readonly wallets: readonly string[]
  /** Unix seconds. */
  readonly createdAt: number
  readonly revokedAt: number | null
}
