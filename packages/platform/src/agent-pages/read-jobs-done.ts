import type { Database } from '@farebox/server/postgres/connect'

/** Paid jobs that others than its owner had an agent do; as search counted them, or counted now where it is not to be found. */
export async function readJobsDone(database: Database, agentId: number): Promise<number> {
  const [row] = await database.query<{ jobs: string }>(
    'agent-jobs-done',
    `select coalesce(
       (select jobs_done from search_entries where agent_id = $1),
       (select count(*) from jobs join agents using (agent_id)
        where agent_id = $1 and kind = 'caller' and state = 'completed' and not charged_without_delivery
          and payer not in (owner, coalesce(wallet, ''), coalesce(proven_wallet, '')))) as jobs`,
    [agentId],
  )
  return Number(row?.jobs ?? 0)
}
