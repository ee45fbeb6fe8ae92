import { randomBytes } from 'node:crypto'
import type { webhookEvent } from '@farebox/platform-api/monitor'
import type { Database } from '@farebox/server/internal/postgres/connect'
import type { z } from 'zod'

/** The event that a notice reports. */
type WebhookEvent = z.infer<typeof webhookEvent>

/** The webhook of an agent's owner. */
export interface Webhook {
  readonly url: string
  readonly createdAtMs: number
  /** The newest notice; undefined before the first one. */
  readonly lastDelivery:
    | {
        readonly event: WebhookEvent
        readonly state: 'waiting' | 'delivered' | 'given-up'
        readonly createdAtMs: number
        /** When the receiver accepted it; undefined until then. */
        readonly deliveredAtMs: number | undefined
        readonly attempts: number
        /** Why the newest attempt failed; undefined when it has not. */
        readonly failure: string | undefined
      }
    | undefined
}

/**
 * The prefix of a webhook secret. The secret is shown once; the receiver of a notice uses it to verify that the
 * platform sent it.
 */
const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32

/**
 * Sets the webhook of an agent's owner, replacing any previous one, and creates a secret for it. Resolves to the
 * secret, which cannot be read again later.
 *
 * The caller must have checked the URL with the outbound guard.
 */
export async function setWebhook(
  database: Database,
  agentId: number,
  webhook: { readonly owner: string; readonly url: string; readonly nowMs: number },
): Promise<string> {
  const secret = SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
  await database.inTransaction(async client => {
    // Notices that are still waiting belong to the previous webhook and are deleted.
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

/** Reads the webhook; undefined when this owner has set none. */
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

/** Reads the URL and the secret for notices to this owner; undefined when no webhook is set. */
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

/** Removes the webhook and its waiting notices. Resolves to whether this owner had set one. */
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
