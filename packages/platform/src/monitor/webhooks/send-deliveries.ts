import { createHmac } from 'node:crypto'
import { nowSeconds } from '@farebox/protocol/time/clock'
import { describeError } from '@farebox/server/log'
import { PROBE_LIMITS } from '../../outbound/limits.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import type { Background } from '../../work/loop.ts'
import { startWorker } from '../../work/worker.ts'

/** Minutes after each failed attempt until the next; after the fifth, an hour after the first, it is given up. */
const BACKOFF_MINUTES = [1, 5, 14, 40] as const

/** Notices under way at a time. */
const AT_ONCE = 100
const BATCH = 25

/** Longer than an attempt may take. */
const LEASE_SECONDS = 60
const POLL_MS = 1_000

/** How long a notice is kept. */
const KEEP_DAYS = 7

/**
 * Sends notices that are due, each until its receiver answers 2xx: at least once, always under the same delivery id. Any
 * number of processes share them, and a slow receiver delays its own only.
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
      log.error(delivery === undefined ? 'cannot lease pending webhook deliveries' : 'notice not sent', {
        error: describeError(error),
      }),
  })
}

/** Removes notices older than a week. */
export async function pruneDeliveries({ database, clock }: PlatformParts): Promise<void> {
  await database.query(
    'prune-deliveries',
    'delete from webhook_deliveries where created_at < to_timestamp($1::float8 / 1000)',
    [clock.nowMs() - KEEP_DAYS * 86_400_000],
  )
}

/** A notice, and who takes it. */
export interface Notice {
  readonly delivery_id: string
  readonly body: string
  readonly url: string
  readonly secret: string
}

interface DueDelivery extends Notice {
  readonly agent_id: string
  /** This one included. */
  readonly attempts: number
}

/** What was written for an owner of before is not sent to anybody. */
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
  // The process ends: the lease does too, and somebody sends it again.
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
  if (state === 'given-up') parts.log.warn('webhook given up', { agent, failure })
}

/** Sends a notice once. Resolves to why it was not taken, in words that its owner may read; undefined where it was. */
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

/** Carries the time and the signature of a notice. */
const SIGNATURE_HEADER = 'farebox-signature'

/**
 * The value of {@link SIGNATURE_HEADER}: `t=<Unix seconds>,v1=<hex>`, where the second is HMAC-SHA256 under the webhook's
 * secret over `<t>.<body>`. Who receives it computes the same over the bytes that came, compares in constant time, and
 * refuses what is older than a few minutes.
 */
function signDelivery(secret: string, body: string, atSeconds: number): string {
  const signature = createHmac('sha256', secret).update(`${atSeconds}.${body}`).digest('hex')
  return `t=${atSeconds},v1=${signature}`
}
