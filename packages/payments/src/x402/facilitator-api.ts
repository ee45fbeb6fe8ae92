import type { Authorization } from '../authorization/eip-3009.ts'
import type { PaymentRequirement } from './requirement.ts'

/**
 * The messages between an agent and a facilitator: the standard x402 HTTP API, and our hold extension on top of it
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

/** Our part of a verify or settle request. */
export interface HoldRequest {
  /** The purpose of this payment: a hash of agent, capability and job (D10). The first binding of a payment key is kept, another refused. */
  readonly binding: string
  /** Unix seconds: until when the amount should stay reserved; only `/verify` reads it. */
  readonly holdUntil?: number
  /** Of `/verify`: hold nothing, only say whether the payment was charged before. Such an answer is never valid. */
  readonly inquiry?: true
}

/** Answer of `POST /verify`. */
export interface VerifyResponse {
  readonly isValid: boolean
  readonly payer?: string
  readonly invalidReason?: string
  readonly invalidMessage?: string
  /** A {@link Hold} where it is valid; where it is not because it was charged before, that charge. */
  readonly extensions?: { readonly [HOLD_EXTENSION]?: Hold | { readonly charge: Charge } }
}

/** A payment that was charged before, or is being charged: reported to the owner whose secret it was held by. */
export interface Charge {
  /** `pending`: captured, not decided by the chain yet. */
  readonly state: 'pending' | 'settled'
  /** The purpose that it was charged for. */
  readonly binding: string
  /** Empty where there is none yet. */
  readonly transaction: string
  /** Unix seconds: the time of its block; only of a settled one. */
  readonly chargedAt?: number
  /** Unix seconds: the facilitator's own time, by which the age of the charge is measured. */
  readonly now: number
}

/** A reservation of the payer's balance, made by a valid `/verify`. */
export interface Hold {
  readonly holdId: string
  /** Unix seconds. */
  readonly holdUntil: number
  /** Of the settlements that the owner of the secret may cause in this UTC day: told where four fifths are used. */
  readonly budget?: HoldBudget
}

/** How much of a daily limit is used, this payment included. */
export interface HoldBudget {
  readonly used: number
  readonly limit: number
  /** Unix seconds: when it is used up at the pace of this UTC day; absent where it lasts the day. */
  readonly exhaustedAt?: number
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

/**
 * Body of `POST /release`: gives a hold back without charging. An unknown or replaced hold is no error, nor is one for
 * another purpose: neither is released. Without a binding it is refused with 400.
 */
export interface ReleaseRequest {
  readonly holdId: string
  /** The purpose of the hold; see {@link HoldRequest}. */
  readonly binding: string
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
 * `POST /secrets` → {@link CreatedSecret} · `GET /secrets?owner=` or `?wallets=` → {@link SecretSummary}[] ·
 * `DELETE /secrets/:id` → 204 · `PUT /secrets/:id/wallets`.
 */
export interface CreateSecretRequest {
  /** Its owner: an address or an account id of the platform. */
  readonly owner: string
  /** The wallets this secret may take payments to. */
  readonly wallets: readonly string[]
  /** Why the gas of the owner's settlements is paid; default `named`. */
  readonly sponsorship?: Sponsorship
  /** See {@link SponsoredOwner.dailySettlements}. */
  readonly dailySettlements?: number
}

/**
 * Why the operator pays the gas of an owner's settlements (D41): named by the operator, an agent listed with a stake, or
 * neither: then a few a day.
 */
export type Sponsorship = 'named' | 'listed' | 'unlisted'

/** An owner, and what a platform grants it. */
export interface SponsoredOwner {
  readonly owner: string
  /**
   * Settlements a UTC day, from 1; counts while the owner is `listed`, up to the facilitator's own ceiling. Absent: the
   * facilitator's number for listed owners.
   */
  readonly dailySettlements?: number
}

/** Body of `PUT /owners`: what is true of these owners from now on. One that is named stays named. */
export interface SponsorOwnersRequest {
  readonly owners: readonly (string | SponsoredOwner)[]
  readonly sponsorship: Sponsorship
}

/** Answer of `GET /owners/:owner`. */
export interface OwnerSummary {
  readonly owner: string
  readonly sponsorship: Sponsorship
  /** In this UTC day, with those that are held. */
  readonly settlementsToday: number
  /** Null: no limit. */
  readonly dailySettlements: number | null
  /** Unix seconds: when they are used up at the pace of this UTC day; null where they last. */
  readonly exhaustedAt: number | null
  /** The grant that a platform made last; null: none. `dailySettlements` is what counts. */
  readonly grantedSettlements: number | null
}

/** Answer of `GET /owners?near=limit`: the owners that have used four fifths of today's limit, or all of it. */
export interface OwnersNearLimit {
  /** How many have used four fifths, and how many all. */
  readonly near: number
  readonly at: number
  /** The first 1,000 of both, by name. */
  readonly owners: readonly OwnerNearLimit[]
}

/** An owner near its limit of this UTC day. */
export interface OwnerNearLimit {
  readonly owner: string
  readonly used: number
  readonly limit: number
  /** Unix seconds; null where it lasts the day. */
  readonly exhaustedAt: number | null
}

/** The only time the secret itself is shown. */
export interface CreatedSecret extends SecretSummary {
  readonly secret: string
}

/** A secret as it is listed afterwards. */
export interface SecretSummary {
  readonly id: string
  readonly owner: string
  readonly wallets: readonly string[]
  /** The name that its maker gave it. */
  readonly label: string | null
  /** The id of the secret that it was made to replace. */
  readonly replaces: string | null
  /** Unix seconds. */
  readonly createdAt: number
  readonly revokedAt: number | null
  /** Unix seconds, to the minute. */
  readonly lastUsedAt: number | null
}
