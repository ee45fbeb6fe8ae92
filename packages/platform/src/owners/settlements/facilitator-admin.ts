import { z } from 'zod'
import type {
  OwnersNearLimit,
  OwnerSummary,
  SponsoredOwner,
  Sponsorship,
} from '@farebox/payments/x402/facilitator-api'
import {
  createJsonOrigin,
  type JsonAnswer,
  type JsonRequest,
} from '@farebox/payments/internal/http/http-json'
import { Refusal } from '../../http/refusal.ts'
import type { PlatformSettings } from '../../platform-parts.ts'

/** A FACILITATOR_SECRET as its facilitator lists it. */
export interface FacilitatorSecret {
  readonly id: string
  /** The creator: an address that was signed in here, or any text that a holder of the service token has sent. */
  readonly owner: string
  readonly wallets: readonly string[]
  readonly label: string | null
  /** The id of the secret that this one was created to replace. */
  readonly replaces: string | null
  /** Unix seconds. */
  readonly createdAt: number
  readonly revokedAt: number | null
  /** Unix seconds, with a precision of one minute. */
  readonly lastUsedAt: number | null
}

/** The request to create a secret. */
export interface SecretWanted {
  readonly owner: string
  readonly wallets: readonly string[]
  readonly sponsorship: Sponsorship
  /** Settlements per UTC day; when absent, the facilitator's own number applies. */
  readonly dailySettlements?: number
  readonly label?: string | null
  /** The id of the secret that the new one is to replace. */
  readonly replaces?: string
}

/** The facilitator's administration of secrets and their owners. Every method may throw a {@link Refusal}. */
export interface FacilitatorAdmin {
  /** Every secret of an owner, including revoked ones. */
  list(owner: string): Promise<readonly FacilitatorSecret[]>
  /**
   * Every secret that may take payments to one of these wallets, regardless of its creator; at most a hundred wallets.
   */
  listByWallets(wallets: readonly string[]): Promise<readonly FacilitatorSecret[]>
  /** Throws `conflict` when the owner already has the maximum number of active secrets. */
  create(wanted: SecretWanted): Promise<FacilitatorSecret & { readonly secret: string }>
  revoke(secretId: string): Promise<void>
  /**
   * Reports why the gas of these owners is paid, and for how many settlements; at most 200 owners. An owner that the
   * operator has named keeps that status.
   */
  sponsor(owners: readonly (string | SponsoredOwner)[], sponsorship: Sponsorship): Promise<void>
  /** Owners who have used at least four fifths of today's limit. */
  listNearLimit(): Promise<OwnersNearLimit>
  /** Why the owner's gas is paid, the owner's limit and how much of it is used. */
  readOwner(owner: string): Promise<OwnerSummary>
}

const TIMEOUT_MS = 10_000
const CONNECTIONS = 4

/**
 * Administers secrets at the operator's facilitator. Without settings, every call throws a `not_found` {@link Refusal}.
 */
export function createFacilitatorAdmin(settings: PlatformSettings['facilitator']): FacilitatorAdmin {
  const origin = settings && createJsonOrigin(settings.url, { connections: CONNECTIONS })
  const send = async (request: Omit<JsonRequest, 'timeoutMs' | 'headers'>): Promise<JsonAnswer> => {
    if (origin === undefined || settings === undefined)
      throw new Refusal('not_found', 'this platform makes no FACILITATOR_SECRETs')
    const headers = { authorization: `Bearer ${settings.adminToken}` }
    try {
      return await origin.send({ ...request, headers, timeoutMs: TIMEOUT_MS })
    } catch (cause) {
      throw new Refusal('unavailable', 'the facilitator is out of reach: ask again in a moment', { cause })
    }
  }
  return {
    async list(owner) {
      const path = `/secrets?owner=${encodeURIComponent(owner)}`
      const answer = await send({ method: 'GET', path })
      return read(z.array(facilitatorSecret), answer, 200)
    },
    async listByWallets(wallets) {
      const answer = await send({ method: 'GET', path: `/secrets?wallets=${wallets.join(',')}` })
      return read(z.array(facilitatorSecret), answer, 200)
    },
    async create(wanted) {
      const answer = await send({ method: 'POST', path: '/secrets', body: { ...wanted } })
      if (answer.status === 409) {
        throw new Refusal(
          'conflict',
          'you have two active secrets, the most there may be; revoke one: npx farebox secret revoke <id>',
        )
      }
      return read(createdSecret, answer, 201)
    },
    async revoke(secretId) {
      const path = `/secrets/${encodeURIComponent(secretId)}`
      const { status } = await send({ method: 'DELETE', path })
      if (status !== 204 && status !== 404) throw unexpected(status)
    },
    async sponsor(owners, sponsorship) {
      const { status } = await send({ method: 'PUT', path: '/owners', body: { owners, sponsorship } })
      if (status !== 204) throw unexpected(status)
    },
    async listNearLimit() {
      return read(ownersNearLimit, await send({ method: 'GET', path: '/owners?near=limit' }), 200)
    },
    async readOwner(owner) {
      const answer = await send({ method: 'GET', path: `/owners/${encodeURIComponent(owner)}` })
      return read(ownerSummary, answer, 200)
    },
  }
}

const facilitatorSecret = z.object({
  id: z.string(),
  owner: z.string(),
  wallets: z.array(z.string()),
  label: z.string().nullable().default(null),
  replaces: z.string().nullable().default(null),
  createdAt: z.number(),
  revokedAt: z.number().nullable(),
  lastUsedAt: z.number().nullable().default(null),
})
const ownerSummary = z.object({
  owner: z.string(),
  sponsorship: z.enum(['named', 'listed', 'unlisted']),
  settlementsToday: z.number(),
  dailySettlements: z.number().nullable(),
  exhaustedAt: z.number().nullable(),
  grantedSettlements: z.number().nullable(),
})
const ownersNearLimit = z.object({
  near: z.number(),
  at: z.number(),
  owners: z.array(
    z.object({
      owner: z.string(),
      used: z.number(),
      limit: z.number(),
      exhaustedAt: z.number().nullable(),
    }),
  ),
})
const createdSecret = z.object({ ...facilitatorSecret.shape, secret: z.string() })

/** Validates a response. The facilitator belongs to the same operator, but it is a separate program. */
function read<T>(schema: z.ZodType<T>, { status, body }: JsonAnswer, wanted: number): T {
  const result = schema.safeParse(body)
  if (status !== wanted || !result.success) throw unexpected(status)
  return result.data
}

function unexpected(status: number): Refusal {
  // The response body may contain a secret, and its status is sufficient to find the cause at the facilitator.
  const cause = new Error(`the facilitator's administration answered ${status}`)
  return new Refusal('unavailable', 'the facilitator did not do it: ask again in a moment', { cause })
}
