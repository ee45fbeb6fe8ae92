import type { Authorization } from '../authorization/eip-3009.ts'
import type { PaymentRequirement } from './requirement.ts'

/**
 * The messages between an agent and a facilitator: the standard x402 HTTP API, and the Farebox hold extension (D9, D10). A
 * facilitator that does not know the extension ignores its part of each message.
 */

/** The name of the extension, in `/supported` and as the key of `extensions`. */
export const HOLD_EXTENSION = 'farebox-hold'

/** The x402 v2 envelope that is sent on, rebuilt from checked values; never the bytes that were received. */
export interface PaymentPayload {
  readonly x402Version: 2
  readonly accepted: PaymentRequirement
  readonly payload: { readonly authorization: Authorization; readonly signature: string }
}

/**
 * Body of `POST /verify` and of `POST /settle`.
 *
 * @example
 * ```ts
 * import type { FacilitatorRequest, VerifyResponse } from '@farebox/payments/x402/facilitator-api'
 *
 * export async function verify(request: FacilitatorRequest): Promise<string> {
 *   const answer = await fetch('https://facilitator.example/verify', {
 *     method: 'POST',
 *     headers: { 'content-type': 'application/json' },
 *     body: JSON.stringify(request),
 *   })
 *   const { isValid, invalidReason } = (await answer.json()) as VerifyResponse
 *   return isValid ? 'valid' : (invalidReason ?? 'invalid')
 * }
 * ```
 */
export interface FacilitatorRequest {
  readonly x402Version: 2
  readonly paymentPayload: PaymentPayload
  readonly paymentRequirements: PaymentRequirement
  readonly extensions?: { readonly [HOLD_EXTENSION]?: HoldRequest }
}

/** The extension's part of a verify or settle request. */
export interface HoldRequest {
  /**
   * The purpose of this payment: a hash of agent, capability and job (D10). The first binding of a payment key is kept;
   * requests with another one are refused.
   */
  readonly binding: string
  /** Unix seconds until which the amount should stay reserved; only `/verify` reads it. */
  readonly holdUntil?: number
  /** For `/verify`: nothing is held, the response only reports an earlier charge. Such a response is never valid. */
  readonly inquiry?: true
}

/** Response of `POST /verify`. */
export interface VerifyResponse {
  readonly isValid: boolean
  readonly payer?: string
  readonly invalidReason?: string
  readonly invalidMessage?: string
  /** A {@link Hold} when valid; the earlier charge when the payment is refused because it was charged before. */
  readonly extensions?: { readonly [HOLD_EXTENSION]?: Hold | { readonly charge: Charge } }
}

/** A payment that was charged before, or is being charged; reported only to the owner whose secret held it. */
export interface Charge {
  /** `pending`: captured, not yet decided by the chain. */
  readonly state: 'pending' | 'settled'
  /** The purpose that it was charged for. */
  readonly binding: string
  /** Empty when there is none yet. */
  readonly transaction: string
  /** The time of its block, Unix seconds; only for a settled charge. */
  readonly chargedAt?: number
  /** The facilitator's current time, Unix seconds, for computing the age of the charge. */
  readonly now: number
}

/** A reservation of the payer's balance, made by a valid `/verify`. */
export interface Hold {
  readonly holdId: string
  /** Unix seconds. */
  readonly holdUntil: number
  /** Use of the owner's settlements of this UTC day; present once four fifths are used. */
  readonly budget?: HoldBudget
}

/** The used part of a daily limit, this payment included. */
export interface HoldBudget {
  readonly used: number
  readonly limit: number
  /** When it will be used up at today's pace, Unix seconds; absent when it lasts the day. */
  readonly exhaustedAt?: number
}

/** Response of `POST /settle`; also the contents of `PAYMENT-RESPONSE`. */
export interface SettleResponse {
  readonly success: boolean
  /** Transaction hash; empty when there is none. */
  readonly transaction: string
  readonly network: string
  readonly payer?: string
  readonly amount?: string
  /** {@link SETTLEMENT_PENDING} means that the outcome is not known yet: repeat the request with the same payload. */
  readonly errorReason?: string
  readonly errorMessage?: string
}

/**
 * Body of `POST /release`: releases a hold without charging. An unknown or replaced hold is not an error, nor is one for
 * another purpose: neither is released. Without a binding the request is refused with 400.
 */
export interface ReleaseRequest {
  readonly holdId: string
  /** The purpose of the hold; see {@link HoldRequest}. */
  readonly binding: string
}

/** Response of `POST /release`. */
export interface ReleaseResponse {
  /** False when the hold was already captured, replaced, expired or unknown. */
  readonly released: boolean
}

/** Response of `GET /supported`. */
export interface SupportedResponse {
  readonly kinds: readonly {
    readonly x402Version: number
    readonly scheme: string
    readonly network: string
  }[]
  readonly extensions: readonly string[]
  readonly signers: { readonly [family: string]: readonly string[] }
}

/** The only `errorReason` that is neither success nor failure (x402, settle). */
export const SETTLEMENT_PENDING = 'settlement_pending'

/**
 * Administration of FACILITATOR_SECRETs by the platform, with its service token (D10).
 *
 * `POST /secrets` → {@link CreatedSecret} · `GET /secrets?owner=` or `?wallets=` → {@link SecretSummary}[] · `DELETE
 * /secrets/:id` → 204 · `PUT /secrets/:id/wallets`.
 */
export interface CreateSecretRequest {
  /** The owner: an address or an account id of the platform. */
  readonly owner: string
  /** The wallets this secret may take payments to. */
  readonly wallets: readonly string[]
  /** Why the gas of the owner's settlements is paid; default `named`. */
  readonly sponsorship?: Sponsorship
  /** See {@link SponsoredOwner.dailySettlements}. */
  readonly dailySettlements?: number
}

/**
 * Why the operator pays the gas of an owner's settlements (D41): the operator named the owner (`named`), it has an agent
 * listed with a stake (`listed`), or neither, with a few settlements a day (`unlisted`).
 */
export type Sponsorship = 'named' | 'listed' | 'unlisted'

/** An owner, and the settlements that a platform grants it. */
export interface SponsoredOwner {
  readonly owner: string
  /**
   * Settlements a UTC day, at least 1; applies while the owner is `listed`, up to the facilitator's own ceiling. Absent: the
   * facilitator's number for listed owners.
   */
  readonly dailySettlements?: number
}

/** Body of `PUT /owners`: the new state of these owners. A named owner stays named. */
export interface SponsorOwnersRequest {
  readonly owners: readonly (string | SponsoredOwner)[]
  readonly sponsorship: Sponsorship
}

/** Response of `GET /owners/:owner`. */
export interface OwnerSummary {
  readonly owner: string
  readonly sponsorship: Sponsorship
  /** Settlements of this UTC day, current holds included. */
  readonly settlementsToday: number
  /** Null: no limit. */
  readonly dailySettlements: number | null
  /** When they will be used up at today's pace, Unix seconds; null when they last the day. */
  readonly exhaustedAt: number | null
  /** The latest grant of a platform; null: none. `dailySettlements` is the limit in effect. */
  readonly grantedSettlements: number | null
}

/** Response of `GET /owners?near=limit`: the owners that have used four fifths of today's limit, or all of it. */
export interface OwnersNearLimit {
  /** The number of owners that have used four fifths, and of those that have used all. */
  readonly near: number
  readonly at: number
  /** The first 1,000 of both groups, sorted by name. */
  readonly owners: readonly OwnerNearLimit[]
}

/** An owner near its limit of this UTC day. */
export interface OwnerNearLimit {
  readonly owner: string
  readonly used: number
  readonly limit: number
  /** Unix seconds; null if it lasts the day. */
  readonly exhaustedAt: number | null
}

/** The only response that contains the secret itself. */
export interface CreatedSecret extends SecretSummary {
  readonly secret: string
}

/** A secret in later responses. */
export interface SecretSummary {
  readonly id: string
  readonly owner: string
  readonly wallets: readonly string[]
  /** The label given at its creation. */
  readonly label: string | null
  /** The id of the secret that this one was created to replace. */
  readonly replaces: string | null
  /** Unix seconds. */
  readonly createdAt: number
  readonly revokedAt: number | null
  /** Unix seconds, rounded to the minute. */
  readonly lastUsedAt: number | null
}
