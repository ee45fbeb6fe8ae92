import { refuseAddress } from '@farebox/payments/crypto/address'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { CreatedSecret, SecretSummary } from '@farebox/payments/x402/facilitator-api'
import { objectOf } from '@farebox/protocol/internal/guards/json'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { nowSeconds, type Clock } from '@farebox/protocol/time/clock'
import { mintSecret } from '../secrets/secret-form.ts'
import {
  ACTIVE_SECRETS,
  type SecretStore,
  type Sponsoring,
  type StoredSecret,
} from '../secrets/secret-store.ts'
import { sendError, readJsonBody } from './answer.ts'
import { guarded, requireToken } from './require-token.ts'
import {
  GRANT_RULE,
  isGrant,
  isOwnerName,
  isSponsorship,
  MAX_OWNER_CHARACTERS,
  SPONSORSHIP_RULE,
} from './sponsoring-rules.ts'

/** The dependencies of the routes of secrets. */
export interface SecretsAdmin {
  readonly secrets: SecretStore
  readonly crypto: EvmCrypto
  readonly clock: Clock
  /** The platform's service token. */
  readonly adminToken: string
}

/**
 * `POST /secrets`, `GET /secrets?owner=` or `?wallets=` (separated by commas), `PUT /secrets/:id/wallets` and `DELETE
 * /secrets/:id`, for callers with the service token.
 */
export function addSecretsRoutes(app: FastifyInstance, admin: SecretsAdmin): void {
  const options = { onRequest: requireToken(admin.adminToken) }
  const serve = (act: SecretsAction): ReturnType<typeof guarded> =>
    guarded((request, reply) => act(admin, request, reply))
  app.post('/secrets', options, serve(createSecret))
  app.get('/secrets', options, serve(listSecrets))
  app.put('/secrets/:id/wallets', options, serve(changeWallets))
  app.delete('/secrets/:id', options, serve(revokeSecret))
}

type SecretsAction = (admin: SecretsAdmin, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

async function createSecret(
  { secrets, crypto, clock }: SecretsAdmin,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const wanted = readWantedSecret(request, crypto)
  if (typeof wanted === 'string') return await sendError(reply, 400, wanted)
  const { owner, wallets, label, replaces, ...sponsoring } = wanted
  const { id, secret, hash } = mintSecret()
  const stored: StoredSecret = {
    id,
    hash,
    owner,
    wallets,
    label,
    replaces,
    createdAt: nowSeconds(clock),
    revokedAt: null,
    lastUsedAt: null,
  }
  if (!(await secrets.create(stored, sponsoring))) {
    const reason = `this owner has ${ACTIVE_SECRETS} active secrets: revoke one before making another`
    return await sendError(reply, 409, reason)
  }
  const created: CreatedSecret = { ...summarize(stored), secret }
  return await reply.code(201).header('cache-control', 'no-store').send(created)
}

/** A secret as requested by a body, and why the gas of its owner is paid. */
type WantedSecret = Pick<StoredSecret, 'owner' | 'wallets' | 'label' | 'replaces'> & Sponsoring

/** Returns a string that describes the problem if the body is invalid. */
function readWantedSecret(request: FastifyRequest, crypto: EvmCrypto): WantedSecret | string {
  const body = objectOf(readJsonBody(request.body))
  const { owner, wallets, sponsorship = 'named', label = null, replaces = null } = body
  const { dailySettlements: granted } = body
  if (!isOwnerName(owner)) return `owner must be a string of 1 to ${MAX_OWNER_CHARACTERS} characters`
  if (!isSponsorship(sponsorship)) return SPONSORSHIP_RULE
  if (!isGrant(granted)) return GRANT_RULE
  if (!isLabel(label)) return LABEL_RULE
  if (!isIdOrNull(replaces)) return 'replaces must be the id of a secret'
  const read = readWallets(wallets, crypto)
  return read.ok ? { owner, wallets: read.wallets, label, replaces, sponsorship, granted } : read.reason
}

const MAX_LABEL_CHARACTERS = 64
const LABEL_RULE = `label must be a string of 1 to ${MAX_LABEL_CHARACTERS} characters`

function isLabel(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && value !== '' && value.length <= MAX_LABEL_CHARACTERS)
}

function isIdOrNull(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && /^[0-9a-f]{16}$/.test(value))
}

async function listSecrets(
  { secrets, crypto }: SecretsAdmin,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { owner, wallets } = objectOf(request.query)
  if (typeof owner === 'string' && wallets === undefined)
    return await reply.send((await secrets.list({ owner })).map(summarize))
  if (typeof wallets !== 'string' || owner !== undefined)
    return await sendError(reply, 400, 'owner or wallets must be given, once: ?owner= or ?wallets=0x…,0x…')
  const read = readWallets(wallets.split(','), crypto)
  if (!read.ok) return await sendError(reply, 400, read.reason)
  return await reply.send((await secrets.list(read)).map(summarize))
}

async function changeWallets(
  { secrets, crypto }: SecretsAdmin,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const read = readWallets(objectOf(readJsonBody(request.body))['wallets'], crypto)
  if (!read.ok) return await sendError(reply, 400, read.reason)
  const changed = await secrets.change(readId(request), { wallets: read.wallets })
  return changed === undefined
    ? await sendError(reply, 404, 'no such secret')
    : await reply.send(summarize(changed))
}

async function revokeSecret(
  { secrets, clock }: SecretsAdmin,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const changed = await secrets.change(readId(request), { revokedAt: nowSeconds(clock) })
  return changed === undefined ? await sendError(reply, 404, 'no such secret') : await reply.code(204).send()
}

const MAX_WALLETS = 100

function readWallets(
  value: unknown,
  crypto: EvmCrypto,
):
  | { readonly ok: true; readonly wallets: readonly string[] }
  | { readonly ok: false; readonly reason: string } {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_WALLETS) {
    return { ok: false, reason: `wallets must be a list of 1 to ${MAX_WALLETS} addresses` }
  }
  const wallets: string[] = []
  for (const [index, wallet] of value.entries()) {
    const reason = refuseAddress(crypto, wallet)
    if (reason !== undefined) return { ok: false, reason: `wallets[${index}] ${reason}` }
    wallets.push(String(wallet).toLowerCase())
  }
  return { ok: true, wallets: [...new Set(wallets)] }
}

function readId(request: FastifyRequest): string {
  const id = objectOf(request.params)['id']
  return typeof id === 'string' ? id : ''
}

function summarize({ hash: _, ...summary }: StoredSecret): SecretSummary {
  return summary
}
