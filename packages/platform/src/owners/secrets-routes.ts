import { z } from 'zod'
import type { secret as secretShape } from '@farebox/platform-api/owners'
import {
  createdSecret as createdSecretShape,
  createSecret,
  secrets as secretsShape,
} from '@farebox/platform-api/owners'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import {
  createFacilitatorAdmin,
  type FacilitatorAdmin,
  type FacilitatorSecret,
  type SecretWanted,
} from './settlements/facilitator-admin.ts'
import { listOwnWallets } from './own-agents.ts'
import { readStanding, sponsoringOf } from './settlements/owner-standing.ts'
import { requestOwnerReport } from './settlements/secret-owners.ts'
import { writeAudit } from '../write-audit.ts'

const secretParams = z.strictObject({ secretId: z.string().regex(/^[\w-]{1,64}$/, 'is no id of a secret') })
const CHANGES_PER_MINUTE = 10

/**
 * The routes for the FACILITATOR_SECRETs of the signed-in owner: they list, create, replace and revoke secrets at the
 * operator's facilitator.
 */
export function secretsRoutes(parts: PlatformParts): readonly Route[] {
  const admin = createFacilitatorAdmin(parts.settings.facilitator)
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/me/secrets',
      summary:
        'Your FACILITATOR_SECRETs, and those that others created for your wallets, without their values',
      access: 'owner',
      answers: { 200: { description: 'The revoked ones too', schema: secretsShape } },
      handle: async ({ caller }) => {
        const [own, others] = await Promise.all([
          admin.list(caller.address),
          listOthers(parts, admin, caller.address),
        ])
        const all = [...own.map(secret => describeSecret(secret, 'you')), ...others]
        return { body: { secrets: withSuccessors(all) } }
      },
    }),
    createRoute(parts, admin),
    rotateRoute(parts, admin),
    revokeRoute(parts, admin),
  ]
}

function createRoute(parts: PlatformParts, admin: FacilitatorAdmin): Route {
  const { database, clock } = parts
  return defineRoute({
    method: 'POST',
    path: '/v1/me/secrets',
    summary: 'Creates a FACILITATOR_SECRET, which only this answer shows',
    access: 'owner',
    perMinute: CHANGES_PER_MINUTE,
    body: createSecret,
    answers: { 201: { description: 'The secret; it is not shown again', schema: createdSecretShape } },
    handle: async ({ body, caller }) => {
      const own = await listOwnWallets(database, caller.address)
      const foreign = (body.wallets ?? []).findIndex(wallet => !own.includes(wallet))
      if (foreign >= 0) {
        const rule = 'must be your own address or the proven wallet of a listed agent of yours'
        throw new Refusal('forbidden', `wallets[${foreign}]: ${rule}`)
      }
      const label = cleanLabel(body.label)
      const made = await makeSecret(parts, admin, {
        owner: caller.address,
        wallets: body.wallets ?? own,
        label,
      })
      await writeAudit(database, {
        atMs: clock.nowMs(),
        actor: caller.address,
        action: 'secret-created',
        subject: `secret ${made.id}`,
        detail: { wallets: made.wallets },
      })
      return created(made)
    },
  })
}

function rotateRoute(parts: PlatformParts, admin: FacilitatorAdmin): Route {
  const { database, clock } = parts
  return defineRoute({
    method: 'POST',
    path: '/v1/me/secrets/:secretId/rotate',
    summary: 'Creates a replacement for this secret; both work until you delete this one',
    access: 'owner',
    perMinute: CHANGES_PER_MINUTE,
    params: secretParams,
    belongsTo: 'account',
    answers: { 201: { description: 'The secret; it is not shown again', schema: createdSecretShape } },
    handle: async ({ params, caller }) => {
      const old = await findOwnSecret(parts, admin, caller.address, params.secretId)
      if (old.revokedAt !== null) throw new Refusal('conflict', 'secretId: is revoked: make a new secret')
      const own = await listOwnWallets(database, caller.address)
      const wallets = old.wallets.filter(wallet => own.includes(wallet))
      if (wallets.length === 0)
        throw new Refusal('conflict', 'secretId: none of its wallets is yours any more: make a new secret')
      const { id: replaces, label } = old
      const made = await makeSecret(parts, admin, { owner: caller.address, wallets, label, replaces })
      await writeAudit(database, {
        atMs: clock.nowMs(),
        actor: caller.address,
        action: 'secret-rotated',
        subject: `secret ${made.id}`,
        detail: {
          wallets: made.wallets,
          replaces: old.id,
        },
      })
      return created(made)
    },
  })
}

function revokeRoute(parts: PlatformParts, admin: FacilitatorAdmin): Route {
  const { database, clock } = parts
  return defineRoute({
    method: 'DELETE',
    path: '/v1/me/secrets/:secretId',
    summary: 'Revokes a secret, within seconds and for good; payments already captured are still settled',
    access: 'owner',
    perMinute: CHANGES_PER_MINUTE,
    params: secretParams,
    belongsTo: 'account',
    answers: { 204: { description: 'The secret is revoked' } },
    handle: async ({ params, caller }) => {
      const secret = await findOwnSecret(parts, admin, caller.address, params.secretId)
      if (secret.revokedAt === null) {
        await admin.revoke(secret.id)
        await writeAudit(database, {
          atMs: clock.nowMs(),
          actor: caller.address,
          action: 'secret-revoked',
          subject: `secret ${secret.id}`,
        })
      }
      return { status: 204 }
    },
  })
}

/**
 * Creates a secret and tells the facilitator whether its owner has a listed agent and how many settlements the owner is
 * granted; without this report the owner's gas would have no limit.
 */
async function makeSecret(
  { database, settings }: PlatformParts,
  admin: FacilitatorAdmin,
  wanted: Omit<SecretWanted, 'sponsorship' | 'dailySettlements'>,
): Promise<Awaited<ReturnType<FacilitatorAdmin['create']>>> {
  const { owner } = wanted
  await requestOwnerReport(database, owner)
  const sponsoring = sponsoringOf(await readStanding(database, owner), settings.settlements)
  const made = await admin.create({ ...wanted, ...sponsoring })
  await requestOwnerReport(database, owner)
  return made
}

/** The facilitator accepts no more wallets in one request, and no owner stakes with more. */
const MAX_WALLETS = 100

/**
 * Lists secrets that a holder of the service token created for a wallet of the owner, for example with `npm run
 * secret`. Of the wallets of each, only the owner's own are included.
 */
async function listOthers(
  { database }: PlatformParts,
  admin: FacilitatorAdmin,
  address: string,
): Promise<readonly z.infer<typeof secretShape>[]> {
  const own = (await listOwnWallets(database, address)).slice(0, MAX_WALLETS)
  const found = await admin.listByWallets(own)
  return found
    .filter(({ owner }) => owner !== address)
    .map(secret => {
      const wallets = secret.wallets.filter(wallet => own.includes(wallet))
      return describeSecret({ ...secret, wallets }, 'operator')
    })
}

/**
 * Finds a secret of this owner. The facilitator revokes any secret it is asked to, so the ownership is checked here.
 */
async function findOwnSecret(
  parts: PlatformParts,
  admin: FacilitatorAdmin,
  address: string,
  secretId: string,
): Promise<FacilitatorSecret> {
  const secret = (await admin.list(address)).find(one => one.id === secretId)
  if (secret !== undefined) return secret
  const others = await listOthers(parts, admin, address)
  throw new Refusal(
    'not_found',
    others.some(one => one.secret_id === secretId)
      ? 'secretId: it was made with the admin token: not yours to rotate or revoke'
      : 'secretId: you have no such secret',
  )
}

function created(made: FacilitatorSecret & { readonly secret: string }): {
  readonly status: number
  readonly body: z.infer<typeof createdSecretShape>
} {
  return { status: 201, body: { ...describeSecret(made, 'you'), secret: made.secret } }
}

function describeSecret(
  secret: FacilitatorSecret,
  madeBy: z.infer<typeof secretShape>['made_by'],
): z.infer<typeof secretShape> {
  return {
    secret_id: secret.id,
    made_by: madeBy,
    label: secret.label,
    wallets: [...secret.wallets],
    created_at: secret.createdAt,
    revoked_at: secret.revokedAt,
    last_used_at: secret.lastUsedAt,
    replaces: secret.replaces,
    replaced_by: null,
  }
}

/** Sets `replaced_by` to the newest secret created to replace it; replacements created by others are ignored. */
function withSuccessors(all: readonly z.infer<typeof secretShape>[]): z.infer<typeof secretShape>[] {
  return all.map(secret => {
    const successors = all.filter(one => one.replaces === secret.secret_id && one.made_by === secret.made_by)
    const newest = successors.toSorted((one, other) => other.created_at - one.created_at)[0]
    return { ...secret, replaced_by: newest?.secret_id ?? null }
  })
}

/** Reduces a label to one line without invisible characters; null when nothing is left. */
function cleanLabel(label: string | undefined): string | null {
  const plain = (label ?? '').replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return plain === '' ? null : plain
}
