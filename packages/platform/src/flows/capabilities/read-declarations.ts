import type { Database } from '@farebox/server/internal/postgres/connect'
import { IS_PAYABLE } from '../../agents/why-not-payable.ts'
import type { KeptDeclaration } from '../../checking/flows/find-fitting.ts'

/** The most characters that are passed to a thread at once; one declaration has at most 256 KB. */
const MOST_CHARACTERS = 4_000_000

/** The declarations that were read. */
export interface ReadDeclarations {
  readonly declarations: readonly KeptDeclaration[]
  /** How many of the requested agents were covered: all, unless their declarations exceed the limit together. */
  readonly looked: number
}

/** The declarations, as text and in this order, of those of these agents that are payable and online. */
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

/** From the row that exceeds the limit on, the text is null; the first declaration is always within it. */
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
