import { randomBytes } from 'node:crypto'
import type { webhookEvent } from '@farebox/platform-api/monitor'
import type { Database } from '@farebox/server/internal/postgres/connect'
import type { z } from 'zod'

/** What a notice is about. */
type WebhookEvent = z.infer<typeof webhookEvent>

/** Where an owner wants to hear of an agent. */
export interface Webhook {
  readonly url: string
  readonly createdAtMs: number
  /** The newest notice; undefined before the first. */
  readonly lastDelivery:
    | {
        readonly event: WebhookEvent
        readonly state: 'waiting' | 'delivered' | 'given-up'
        readonly createdAtMs: number
        /** When its receiver took it; undefined: it has not. */
        readonly deliveredAtMs: number | undefined
        readonly attempts: number
        /** Why its newest attempt failed. */
        readonly failure: string | undefined
      }
    | undefined
}

/** Shown once: who receives a notice proves with it that it is ours. */
const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32

/**
 * Sets where the owner of an agent is told of it, in place of what was set before, and makes a secret for it. Resolves to
 * the secret; nobody can read it afterwards.
 *
 * The URL has been judged by the outbound guard before.
 */
export async function setWebhook(
  database: Database,
  agentId: number,
  webhook: { readonly owner: string; readonly url: string; readonly nowMs: number },
): Promise<string> {
  const secret = SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
  await database.inTransaction(async client => {
    // What the one before was not told yet is not for this one.
    await client.query(`delete from webhook_deliveries where agent_id = $1`, [agentId])
    await client.query(
      `insert into agent_webhooks (agent_id, owner, url, secret, created_at)
       values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000))
       on conflict (agent_id) do update set owner = excluded.owner, url = excluded.url, secret = excluded.secret,
         created_at = excluded.created_at`,
      [agentId, webhook.owner, webhook.url, secret, webhook.nowMs],
    )
  })
  return secret
}

/** Undefined where this owner has set none. */
export async function readWebhook(
  database: Database,
  agentId: number,
  owner: string,
): Promise<Webhook | undefined> {
  const [row] = await database.query<WebhookColumns>(
    'read-webhook',
    `select w.url, w.created_at, d.event, d.state, d.created_at as told_at, d.delivered_at, d.attempts, d.failure
     from agent_webhooks w left join lateral (
       select body::json ->> 'event' as event, state, created_at, delivered_at, attempts, failure
       from webhook_deliveries
       where agent_id = w.agent_id order by created_at desc limit 1) d on true
     where w.agent_id = $1 and w.owner = $2`,
    [agentId, owner],
  )
  if (row === undefined) return undefined
  const { event, state, told_at: toldAt, attempts } = row
  return {
    url: row.url,
    createdAtMs: row.created_at.getTime(),
    lastDelivery:
      event === null || state === null || toldAt === null || attempts === null
        ? undefined
        : {
            event,
            state,
            createdAtMs: toldAt.getTime(),
            deliveredAtMs: row.delivered_at?.getTime(),
            attempts,
            failure: row.failure ?? undefined,
          },
  }
}

/** What a notice to this owner is sent by; undefined where none is set. */
export async function readReceiver(
  database: Database,
  agentId: number,
  owner: string,
): Promise<{ readonly url: string; readonly secret: string } | undefined> {
  const [row] = await database.query<{ url: string; secret: string }>(
    'read-receiver',
    'select url, secret from agent_webhooks where agent_id = $1 and owner = $2',
    [agentId, owner],
  )
  return row
}

/** Removes it, and what was not told yet. Resolves to whether this owner had set one. */
export async function deleteWebhook(database: Database, agentId: number, owner: string): Promise<boolean> {
  return await database.inTransaction(async client => {
    const { rowCount } = await client.query('delete from agent_webhooks where agent_id = $1 and owner = $2', [
      agentId,
      owner,
    ])
    if (rowCount === 0) return false
    await client.query('delete from webhook_deliveries where agent_id = $1', [agentId])
    return true
  })
}

interface WebhookColumns {
  readonly url: string
  readonly created_at: Date
  readonly event: WebhookEvent | null
  readonly state: 'waiting' | 'delivered' | 'given-up' | null
  readonly told_at: Date | null
  readonly delivered_at: Date | null
  readonly attempts: number | null
  readonly failure: string | null
}
