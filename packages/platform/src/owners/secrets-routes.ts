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
import { createFacilitatorAdmin, type FacilitatorAdmin, type FacilitatorSecret } from './facilitator-admin.ts'
import { listOwnWallets } from './own-agents.ts'
import { writeAudit } from './write-audit.ts'

const secretParams = z.strictObject({ secretId: z.string().regex(/^[\w-]{1,64}$/, 'is no id of a secret') })
const CHANGES_PER_MINUTE = 10

/** FACILITATOR_SECRETs of who is signed in: listed, made, replaced and revoked at our operator's facilitator. */
export function secretsRoutes(parts: PlatformParts): readonly Route[] {
  const admin = createFacilitatorAdmin(parts.settings.facilitator)
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/me/secrets',
      summary: 'Your FACILITATOR_SECRETs, without themselves',
      access: 'owner',
      answers: { 200: { description: 'The revoked ones too', schema: secretsShape } },
      handle: async ({ caller }) => {
        const found = await admin.list(caller.address)
        return { body: { secrets: found.map(describeSecret) } }
      },
    }),
    createRoute(parts, admin),
    rotateRoute(parts, admin),
    revokeRoute(parts, admin),
  ]
}

function createRoute({ database, clock }: PlatformParts, admin: FacilitatorAdmin): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/me/secrets',
    summary: 'Makes a FACILITATOR_SECRET; this answer alone shows it',
    access: 'owner',
    perMinute: CHANGES_PER_MINUTE,
    body: createSecret,
    answers: { 201: { description: 'Keep it: it is shown this once', schema: createdSecretShape } },
    handle: async ({ body, caller }) => {
      const own = await listOwnWallets(database, caller.address)
      const foreign = (body.wallets ?? []).findIndex(wallet => !own.includes(wallet))
      if (foreign >= 0) {
        const rule = 'must be your own address or the proven wallet of a listed agent of yours'
        throw new Refusal('forbidden', `wallets[${foreign}]: ${rule}`)
      }
      const made = await admin.create(caller.address, body.wallets ?? own)
      await writeAudit(database, {
        atMs: clock.nowMs(),
        actor: caller.address,
        action: 'secret-created',
        subject: `secret ${made.id}`,
        detail: { wallets: made.wallets },
      })
      return created(made, null)
    },
  })
}

function rotateRoute({ database, clock }: PlatformParts, admin: FacilitatorAdmin): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/me/secrets/:secretId/rotate',
    summary: 'Makes the secret that is to replace this one; both work until you delete this one',
    access: 'owner',
    perMinute: CHANGES_PER_MINUTE,
    params: secretParams,
    belongsTo: 'account',
    answers: { 201: { description: 'Keep it: it is shown this once', schema: createdSecretShape } },
    handle: async ({ params, caller }) => {
      const old = await findOwnSecret(admin, caller.address, params.secretId)
      if (old.revokedAt !== null) throw new Refusal('conflict', 'secretId: is revoked: make a new secret')
      const own = await listOwnWallets(database, caller.address)
      const wallets = old.wallets.filter(wallet => own.includes(wallet))
      if (wallets.length === 0)
        throw new Refusal('conflict', 'secretId: none of its wallets is yours any more: make a new secret')
      const made = await admin.create(caller.address, wallets)
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
      return created(made, old.id)
    },
  })
}

function revokeRoute({ database, clock }: PlatformParts, admin: FacilitatorAdmin): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/v1/me/secrets/:secretId',
    summary: 'Revokes a secret, within seconds and for good; payments already captured are still settled',
    access: 'owner',
    perMinute: CHANGES_PER_MINUTE,
    params: secretParams,
    belongsTo: 'account',
    answers: { 204: { description: 'It is revoked' } },
    handle: async ({ params, caller }) => {
      const secret = await findOwnSecret(admin, caller.address, params.secretId)
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

/** The facilitator revokes whatever it is told to: whose a secret is, is looked at here. */
async function findOwnSecret(
  admin: FacilitatorAdmin,
  address: string,
  secretId: string,
): Promise<FacilitatorSecret> {
  const secret = (await admin.list(address)).find(one => one.id === secretId)
  if (secret === undefined) throw new Refusal('not_found', 'secretId: you have no such secret')
  return secret
}

function created(
  made: FacilitatorSecret & { readonly secret: string },
  replaces: string | null,
): { readonly status: number; readonly body: z.infer<typeof createdSecretShape> } {
  return { status: 201, body: { ...describeSecret(made), secret: made.secret, replaces } }
}

function describeSecret(secret: FacilitatorSecret): z.infer<typeof secretShape> {
  return {
    secret_id: secret.id,
    wallets: [...secret.wallets],
    created_at: secret.createdAt,
    revoked_at: secret.revokedAt,
  }
}
