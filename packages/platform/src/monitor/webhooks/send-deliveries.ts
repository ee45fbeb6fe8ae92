import { createHmac } from 'node:crypto'
import { nowSeconds } from '@farebox/protocol/time/clock'
import { describeError } from '@farebox/server/log'
import { PROBE_LIMITS } from '../../outbound/limits.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import type { Background } from '../../work/loop.ts'
import { startWorker } from '../../work/worker.ts'

/**
 * Minutes to wait after each failed attempt. After the fifth attempt, an hour after the first, the delivery is given
 * up.
 */
const BACKOFF_MINUTES = [1, 5, 14, 40] as const

/** Deliveries that are sent concurrently. */
const AT_ONCE = 100
const BATCH = 25

/** Longer than one attempt may take. */
const LEASE_SECONDS = 60
const POLL_MS = 1_000

/** How many days a delivery is kept in the database. */
const KEEP_DAYS = 7

/**
 * Sends due notices, each until its receiver responds with 2xx: at least once, always with the same delivery id. Any
 * number of processes share the work, and a slow receiver delays only its own notices.
 */
export function startDeliveries(parts: PlatformParts): Background {
  const { clock, database, log } = parts
  return startWorker<DueDelivery>(clock, {
    slots: AT_ONCE,
    pace: { pollMs: POLL_MS, idleMs: POLL_MS },
    room: free => ({ limit: free < BATCH ? 0 : BATCH }),
    take: () => database.query<DueDelivery>('lease-deliveries', LEASE_DELIVERIES),
    work: (delivery, { signal }) => sendDelivery(parts, delivery, signal),
    onFailure: (error, delivery) =>
      log.error(delivery === undefined ? 'cannot lease pending webhook deliveries' : 'cannot send a notice', {
        error: describeError(error),
      }),
  })
}

/** Deletes deliveries older than {@link KEEP_DAYS} days. */
export async function pruneDeliveries({ database, clock }: PlatformParts): Promise<void> {
  await database.query(
    'prune-deliveries',
    'delete from webhook_deliveries where created_at < to_timestamp($1::float8 / 1000)',
    [clock.nowMs() - KEEP_DAYS * 86_400_000],
  )
}

/** A notice with the URL and the secret of its receiver. */
export interface Notice {
  readonly delivery_id: string
  readonly body: string
  readonly url: string
  readonly secret: string
}

interface DueDelivery extends Notice {
  readonly agent_id: string
  /** The number of attempts, including the current one. */
  readonly attempts: number
}

/** Notices written for a former owner of the agent are not sent. */
const LEASE_DELIVERIES = `
  with due as (
    select d.delivery_id, w.url, w.secret
    from webhook_deliveries d join agent_webhooks w using (agent_id) join agents a using (agent_id)
    where d.state = 'waiting' and d.due_at <= now() and a.owner = w.owner
    order by d.due_at limit ${BATCH} for update of d skip locked
  )
  update webhook_deliveries d
  set due_at = now() + interval '${LEASE_SECONDS} seconds', attempts = d.attempts + 1
  from due where d.delivery_id = due.delivery_id
  returning d.delivery_id, d.agent_id, d.body, d.attempts, due.url, due.secret`

async function sendDelivery(parts: PlatformParts, delivery: DueDelivery, signal: AbortSignal): Promise<void> {
  const failure = await postDelivery(parts, delivery, signal)
  // When the process ends, the lease expires and another process sends the notice again.
  if (signal.aborted) return
  const { delivery_id: deliveryId, agent_id: agent, attempts } = delivery
  const backoffMinutes = BACKOFF_MINUTES[attempts - 1]
  const state = failure === undefined ? 'delivered' : backoffMinutes === undefined ? 'given-up' : 'waiting'
  await parts.database.query(
    'delivery-tried',
    `update webhook_deliveries set state = $2, failure = $3,
       delivered_at = case when $2 = 'delivered' then to_timestamp($6::float8 / 1000) end,
       due_at = case when $2 = 'waiting' then now() + $4::float8 * interval '1 minute' else 'infinity' end
     where delivery_id = $1 and attempts = $5`,
    [deliveryId, state, failure ?? null, backoffMinutes ?? 0, attempts, parts.clock.nowMs()],
  )
  if (state === 'given-up') parts.log.warn('webhook delivery abandoned', { agent, failure })
}

/**
 * Sends a notice once. Resolves to the reason it was not accepted, in words that its owner may read, or to undefined
 * when it was accepted.
 */
export async function postDelivery(
  { outbound, clock }: Pick<PlatformParts, 'outbound' | 'clock'>,
  delivery: Notice,
  signal: AbortSignal,
): Promise<string | undefined> {
  const outcome = await outbound.send({
    url: delivery.url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'farebox-delivery': delivery.delivery_id,
      [SIGNATURE_HEADER]: signDelivery(delivery.secret, delivery.body, nowSeconds(clock)),
    },
    body: delivery.body,
    ...PROBE_LIMITS,
    signal,
  })
  if (outcome.kind === 'failed') return outcome.reason
  return outcome.status >= 200 && outcome.status < 300 ? undefined : `answered ${outcome.status}`
}

/** The header with the time and the signature of a notice. */
const SIGNATURE_HEADER = 'farebox-signature'

/**
 * The value of {@link SIGNATURE_HEADER}: `t=<Unix seconds>,v1=<hex>`, where `v1` is HMAC-SHA256 under the webhook's
 * secret over `<t>.<body>`. The receiver computes the same over the received bytes, compares in constant time, and
 * refuses notices that are more than a few minutes old.
 */
function signDelivery(secret: string, body: string, atSeconds: number): string {
  const signature = createHmac('sha256', secret).update(`${atSeconds}.${body}`).digest('hex')
  return `t=${atSeconds},v1=${signature}`
}
