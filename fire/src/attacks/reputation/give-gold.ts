import type { OrderStage } from './stage-orders.ts'

const PAYERS = 125
const JOBS_OF_EACH = 10

/** Writes down what a gold badge takes: more than a thousand paid jobs, ten of each payer. */
export async function giveGold({ platform, badge }: OrderStage): Promise<void> {
  await platform.database.pool.query(
    `insert into jobs (job_id, agent_id, capability, kind, payer, amount_atomic, state, created_at, expires_at,
       finished_at, answer, payment, transaction)
     select gen_random_uuid(), 1, 'count', 'caller', '0x' || lpad(to_hex(n % $1::int), 40, 'c'), 10000, 'completed',
       now() - interval '1 day', now() - interval '1 day', now() - interval '1 day', 'completed', 'paid',
       '0x' || lpad(to_hex(n), 64, '0')
     from generate_series(1, $1::int * $2::int) as n`,
    [PAYERS, JOBS_OF_EACH],
  )
  const { badge: earned } = await badge()
  if (earned !== 'gold') throw new Error(`the agent should begin with gold, it has ${earned}`)
}
