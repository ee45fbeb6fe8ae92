import type { Attack } from '../attack.ts'
import {
  MAX_DEADLINE_SECONDS,
  PRICE_ATOMIC,
  REFUSED_TEXT,
  stageOrders,
  type OrderStage,
} from './stage-orders.ts'

const DAY_SECONDS = 86_000
/** How long the node's calls are counted after the last order. */
const WATCHED_MS = 6_000

/** Row 11: payments that nobody will ever use, each of which the platform would watch on the chain for a day. */
export const watchedPayments: Attack = {
  name: 'throwaway payments watched on the chain',
  before:
    '1,925 orders of empty wallets: 46,562 calls to the node until 6 s after the last, 1,439 payments watched for a day',
  async run({ size, signal }) {
    const orders = size === 'full' ? 600 : 60
    const stage = await stageOrders()
    try {
      const empty = await count(stage, { orders, usdcAtomic: 0n, from: '192.0.2.1', signal })
      const refused = Math.floor(orders / 20)
      const funded = await count(stage, {
        orders: refused,
        usdcAtomic: PRICE_ATOMIC,
        from: '192.0.2.2',
        signal,
      })
      return [
        {
          test: `${orders} payments of empty wallets, each good for a day`,
          reached: `${empty.calls} calls to the node, ${empty.watched} payments watched`,
          target: 'at most 400 calls, none watched',
          isMet: empty.calls <= 400 && empty.watched === 0,
        },
        {
          test: `${refused} payments of orders that their agent refuses`,
          reached: `${(funded.calls / refused).toFixed(1)} calls to the node for each, ${funded.watched} watched, ${funded.early} looked at before their end`,
          target: `at most 6 for each, ${refused} watched, none before its end`,
          isMet: funded.calls <= 6 * refused && funded.watched === refused && funded.early === 0,
        },
      ]
    } finally {
      await stage.close()
    }
  },
}

interface Looks {
  readonly calls: number
  /** Jobs at which somebody looks again. */
  readonly watched: number
  /** Those of them that are looked at before their payment is dead. */
  readonly early: number
}

async function count(
  stage: OrderStage,
  attack: {
    readonly orders: number
    readonly usdcAtomic: bigint
    /** The address that they come from. */
    readonly from: string
    readonly signal: AbortSignal
  },
): Promise<Looks> {
  const payers: string[] = []
  for (let made = 0; made < attack.orders; made++) payers.push(await stage.wallet(attack.usdcAtomic))
  const before = stage.nodeCalls()
  for (const payerKey of payers) {
    if (attack.signal.aborted) break
    await stage.order({
      from: attack.from,
      payerKey,
      deadlineSeconds: MAX_DEADLINE_SECONDS,
      validSeconds: DAY_SECONDS,
      text: REFUSED_TEXT,
    })
  }
  await stage.quiet(attack.signal)
  await new Promise(resolve => setTimeout(resolve, WATCHED_MS))
  const { rows } = await stage.platform.database.pool.query<{ watched: number; early: number }>(
    `select count(*) filter (where next_look_at is not null)::int as watched,
       count(*) filter (where next_look_at < to_timestamp(valid_before))::int as early from jobs`,
  )
  return { calls: stage.nodeCalls() - before, watched: rows[0]?.watched ?? 0, early: rows[0]?.early ?? 0 }
}
