import type { Database } from '@farebox/server/internal/postgres/connect'
import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../platform-parts.ts'
import { startLoops, type Background, type Loop } from '../work/loop.ts'
import { recountAgent } from './change-badge.ts'

/**
 * The pause between passes: the longest delay until an ended job appears in its agent's numbers, unless there is a backlog,
 * and the shortest time between two writes of one agent.
 */
const RECOUNT_EVERY_MS = 1_000
const AGENTS_AT_ONCE = 200

/**
 * Keeps the shown job counts of agents up to date: the number of jobs done, in search and pages, and the badge. Any number
 * of processes can run this on one database.
 */
export function startRecounts(parts: PlatformParts): Background {
  const recounts: Loop = {
    pauseMs: RECOUNT_EVERY_MS,
    pass: signal => recountAgents(parts, signal),
    onFailure: error => parts.log.error('could not update the job counts', { error: describeError(error) }),
  }
  return startLoops(parts.clock, [recounts])
}

/** Updates every agent with new outcomes once; resolves to the number of outcomes added. */
export async function recountAgents(parts: PlatformParts, signal?: AbortSignal): Promise<number> {
  let added = 0
  for (let after = 0; ;) {
    const agentIds = await findChanged(parts.database, after)
    for (const agentId of agentIds) {
      if (signal?.aborted === true) return added
      added += await recountAgent(parts, agentId)
    }
    const last = agentIds.at(-1)
    if (last === undefined || agentIds.length < AGENTS_AT_ONCE) return added
    after = last
  }
}

/**
 * A recursive query that jumps from one agent to the next, so its duration does not depend on the number of outcomes per
 * agent.
 */
async function findChanged(database: Database, after: number): Promise<readonly number[]> {
  const rows = await database.query<{ agent_id: string }>(
    'find-changed-agents',
    `with recursive changed (agent_id) as (
       select min(agent_id) from recounts where agent_id > $1
       union all
       select (select min(agent_id) from recounts where agent_id > changed.agent_id)
       from changed where changed.agent_id is not null
     ) select agent_id from changed where agent_id is not null limit ${AGENTS_AT_ONCE}`,
    [after],
  )
  return rows.map(row => Number(row.agent_id))
}
