import type { Database } from '@farebox/server/internal/postgres/connect'
import { announce } from './announce.ts'

/** The maximum length of the reason that the agent's page shows. */
const MOST_CHARACTERS = 500

/**
 * Records that an agent could not take a payment. From then on, callers are not sent to pay it for a day, or until its
 * owner has it inspected or it takes a payment. The owner gets one notice. It does not count as a failed check, because
 * the agent still responds to checks.
 *
 * @param reason - a clause without a full stop
 */
export async function notePaymentProblem(
  database: Database,
  agentId: number,
  { reason, nowMs }: { readonly reason: string; readonly nowMs: number },
): Promise<void> {
  const shown = reason.slice(0, MOST_CHARACTERS)
  await database.inTransaction(async client => {
    const { rowCount } = await client.query(
      `update agents set payment_problem = $2, payment_problem_since = $3
       where agent_id = $1 and standing = 'listed' and payment_problem is null`,
      [agentId, shown, new Date(nowMs)],
    )
    if (rowCount === 0) return
    await announce(client, [{ agentId, event: 'not_payable', failures: 0, reason: shown, atMs: nowMs }])
  })
}

/** Removes the payment problem of an agent after it has taken a payment. */
export async function forgetPaymentProblem(database: Database, agentId: number): Promise<void> {
  await database.query(
    'forget-payment-problem',
    `update agents set payment_problem = null, payment_problem_since = null
     where agent_id = $1 and payment_problem is not null`,
    [agentId],
  )
}
