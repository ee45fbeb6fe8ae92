import type { Database } from '@farebox/server/internal/postgres/connect'
import { IS_PAYABLE } from '../../agents/why-not-payable.ts'
import type { KeptDeclaration } from '../../checking/flows/find-fitting.ts'

/** The most that is handed to a thread at once, in characters; one declaration has 256 KB at most. */
const MOST_CHARACTERS = 4_000_000

/** Declarations of agents, as far as they were read. */
export interface ReadDeclarations {
  readonly declarations: readonly KeptDeclaration[]
  /** Of the agents asked for, how many were read: all, unless what they declare is too much at once. */
  readonly looked: number
}

/** The declarations of those of these agents that can be paid and are online, in this order, as text. */
export async function readDeclarations(
  database: Database,
  agentIds: readonly string[],
): Promise<ReadDeclarations> {
  if (agentIds.length === 0) return { declarations: [], looked: 0 }
  const rows = await database.query<{ agent_id: string; place: number; declaration: string | null }>(
    'capabilities-declarations',
    READ,
    [agentIds, MOST_CHARACTERS],
  )
  const cut = rows.find(({ declaration }) => declaration === null)
  const declarations = rows.flatMap(({ agent_id, declaration }) =>
    declaration === null ? [] : [{ agentId: Number(agent_id), declaration }],
  )
  return { declarations, looked: cut === undefined ? agentIds.length : cut.place - 1 }
}

/** Where it becomes too much, the text is left out; the first always fits. */
const READ = `
  select agent_id, place, case when characters <= $2 then declaration end as declaration
  from (
    select agents.agent_id, place::int, declaration::text as declaration,
      sum(length(declaration::text)) over (order by place) as characters
    from unnest($1::bigint[]) with ordinality as wanted (id, place)
    join agents on agents.agent_id = wanted.id
    where ${IS_PAYABLE} and not agents.is_offline
  ) as payable
  order by place`
