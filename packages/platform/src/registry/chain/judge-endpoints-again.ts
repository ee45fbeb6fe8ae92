import { calledFor } from '../../agents/agent-row.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { applyChainState } from './apply-chain-state.ts'

type JudgingParts = Pick<PlatformParts, 'database' | 'outbound' | 'log' | 'clock'>

/**
 * Judges the endpoints that were refused by their spelling once more, because the operator may have opened a private
 * network to their owners since (D54). Agents whose endpoint may be called now wait for an inspection.
 */
export async function judgeEndpointsAgain({ database, outbound, log, clock }: JudgingParts): Promise<void> {
  const rows = await database.query<{
    agent_id: string
    endpoint_on_chain: string
    owner: string
    endpoint_by: string | null
  }>(
    'read-refused-endpoints',
    `select agent_id, endpoint_on_chain, owner, endpoint_by from agents
     where endpoint is null and standing in ('waiting', 'refused')`,
    [],
  )
  const judge: typeof outbound.judge = (url, owner) => outbound.judge(url, owner)
  const agentIds = rows
    .filter(({ endpoint_on_chain, owner, endpoint_by }) => {
      return judge(endpoint_on_chain, calledFor({ owner, endpointBy: endpoint_by ?? undefined })).ok
    })
    .map(row => Number(row.agent_id))
  if (agentIds.length === 0) return
  await database.inTransaction(client =>
    applyChainState(client, agentIds, { judge, log, nowMs: clock.nowMs() }),
  )
}
