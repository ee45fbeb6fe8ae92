import { refuseAddress } from '@farebox/payments/crypto/address'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { CreatedSecret, SecretSummary } from '@farebox/payments/x402/facilitator-api'
import { nowSeconds, type Clock } from '@farebox/protocol/time/clock'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { mintSecret } from '../secrets/secret-form.ts'
import { ACTIVE_SECRETS, type SecretStore, type StoredSecret } from '../secrets/secret-store.ts'
import { answerError, asObject, parseBody } from './answer.ts'
import { guarded, requireToken } from './require-token.ts'
import { GRANT_RULE, isGrant, isSponsorship, SPONSORSHIP_RULE } from './owners-routes.ts'

/** What administering secrets needs. */
export interface SecretsAdmin {
  readonly secrets: SecretStore
  readonly crypto: EvmCrypto
  readonly clock: Clock
  /** The platform's service token. */
  readonly adminToken: string
}

const MAX_OWNER_CHARACTERS = 200
const MAX_WALLETS = 100

/**
 * `POST /secrets`, `GET /secrets?owner=` or `?wallets=` (with commas), `PUT /secrets/:id/wallets`, `DELETE /secrets/:id`, for whoever
 * shows the service token.
 */
export function addSecretsRoutes(app: FastifyInstance, admin: SecretsAdmin): void {
  const { secrets, crypto, clock } = admin
  const onRequest = requireToken(admin.adminToken)

  app.post(
    '/secrets',
    { onRequest },
    guarded(async (request, reply) => {
      const body = asObject(parseBody(request.body)) ?? {}
      const { owner, wallets, sponsorship = 'named', label = null, replaces = null } = body
      const { dailySettlements: granted } = body
      if (typeof owner !== 'string' || owner === '' || owner.length > MAX_OWNER_CHARACTERS) {
        return await answerError(
          reply,
          400,
          `owner must be a string of 1 to ${MAX_OWNER_CHARACTERS} characters`,
        )
      }
      if (!isSponsorship(sponsorship)) return await answerError(reply, 400, SPONSORSHIP_RULE)
      if (!isGrant(granted)) return await answerError(reply, 400, GRANT_RULE)
      if (!isLabel(label)) return await answerError(reply, 400, LABEL_RULE)
      if (!isIdOrNull(replaces)) return await answerError(reply, 400, 'replaces must be the id of a secret')
      const read = readWallets(wallets, crypto)
      if (!read.ok) return await answerError(reply, 400, read.reason)
      const { id, secret, hash } = mintSecret()
      const stored: StoredSecret = {
        id,
        hash,
        owner,
        wallets: read.wallets,
        label,
        replaces,
        createdAt: nowSeconds(clock),
        revokedAt: null,
        lastUsedAt: null,
      }
      if (!(await secrets.create(stored, { sponsorship, granted }))) {
        return await answerError(
          reply,
          409,
          `this owner has ${ACTIVE_SECRETS} active secrets: revoke one before making another`,
        )
      }
      const created: CreatedSecret = { ...summarize(stored), secret }
      return await reply.code(201).header('cache-control', 'no-store').send(created)
    }),
  )

  app.get(
    '/secrets',
    { onRequest },
    guarded(async (request, reply) => {
      const { owner, wallets } = asObject(request.query) ?? {}
      if (typeof owner === 'string' && wallets === undefined)
        return await reply.send((await secrets.list({ owner })).map(summarize))
      if (typeof wallets !== 'string' || owner !== undefined)
        return await answerError(
          reply,
          400,
          'owner or wallets must be given, once: ?owner= or ?wallets=0x…,0x…',
        )
      const read = readWallets(wallets.split(','), crypto)
      if (!read.ok) return await answerError(reply, 400, read.reason)
      return await reply.send((await secrets.list(read)).map(summarize))
    }),
  )

  app.put(
    '/secrets/:id/wallets',
    { onRequest },
    guarded(async (request, reply) => {
      const read = readWallets(asObject(parseBody(request.body))?.['wallets'], crypto)
      if (!read.ok) return await answerError(reply, 400, read.reason)
      const changed = await secrets.change(readId(request), { wallets: read.wallets })
      return changed === undefined
        ? await answerError(reply, 404, 'no such secret')
        : await reply.send(summarize(changed))
    }),
  )

  app.delete(
    '/secrets/:id',
    { onRequest },
    guarded(async (request, reply) => {
      const changed = await secrets.change(readId(request), { revokedAt: nowSeconds(clock) })
      return changed === undefined
        ? await answerError(reply, 404, 'no such secret')
        : await reply.code(204).send()
    }),
  )
}

const MAX_LABEL_CHARACTERS = 64
const LABEL_RULE = `label must be a string of 1 to ${MAX_LABEL_CHARACTERS} characters`

function isLabel(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && value !== '' && value.length <= MAX_LABEL_CHARACTERS)
}

function isIdOrNull(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && /^[0-9a-f]{16}$/.test(value))
}

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
  const id = asObject(request.params)?.['id']
  return typeof id === 'string' ? id : ''
}

function summarize({ hash: _, ...summary }: StoredSecret): SecretSummary {
  return summary
}
