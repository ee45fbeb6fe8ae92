import type { AgentCategory } from '@farebox/platform-api/internal/listing/agent-categories'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { Database } from '@farebox/server/src/postgres/connect'
import type { AgentRow, Badge, ListingStatus } from '../../agents/agent-row.ts'
import { readAgent } from '../../agents/read-agent.ts'

/** The fields of an agent that a test can set; the others have arbitrary values. */
export interface AgentInserted {
  /** Default: the next free number. */
  readonly agentId?: number
  /** Canonical; by default a unique URL. */
  readonly endpoint?: string
  readonly standing?: ListingStatus
  /** Lower-case address; unique by default. Also used as wallet and proven wallet, unless they are given. */
  readonly owner?: string
  readonly wallet?: string | null
  readonly provenWallet?: string | null
  /** By default one capability, `count`, at 0.01 USDC; null for Phase 1. */
  readonly declaration?: Declaration | null
  readonly isOffline?: boolean
  readonly badge?: Badge
  readonly badgeShown?: Badge
  readonly category?: AgentCategory
  /** The time of its registration, its standing and its last inspection; default 2027-01-01. */
  readonly atMs?: number
  readonly nextRefreshAtMs?: number
}

/**
 * Inserts a listed agent with a declaration into `agents`, and into no other table. A test that needs it watched or
 * found must call `watchAgent` or `indexAgent` itself.
 */
export async function insertAgent(database: Database, given: AgentInserted = {}): Promise<AgentRow> {
  const agentId = given.agentId ?? (await nextAgentId(database))
  const owner = given.owner ?? `0x${agentId.toString(16).padStart(40, 'a')}`
  const wallet = given.wallet === undefined ? owner : given.wallet
  const declaration = given.declaration === undefined ? sampleDeclaration(wallet ?? owner) : given.declaration
  const at = new Date(given.atMs ?? Date.UTC(2027, 0, 1))
  const endpoint = given.endpoint ?? `https://agent-${agentId}.example`
  await database.query(
    'test-insert-agent',
    `insert into agents (agent_id, endpoint_on_chain, endpoint, owner, stake_wei, registered_block,
       registered_transaction, registered_at, standing, standing_since, declaration, declaration_version, name,
       description, wallet, proven_wallet, refreshed_at, next_refresh_at, looked_at, is_offline, badge, badge_shown,
       category)
     values ($1, $2, $2, $3, 1000000000000000, 1, $4, $5, $6, $5, $7, $8, $9, $10, $11, $12, $5, $13, $5, $14, $15, $16, $17)`,
    [
      agentId,
      endpoint,
      owner,
      `0x${agentId.toString(16).padStart(64, '0')}`,
      at,
      given.standing ?? 'listed',
      declaration && JSON.stringify(declaration),
      declaration === null ? 0 : 1,
      declaration?.name ?? '',
      declaration?.description ?? '',
      wallet,
      given.provenWallet === undefined ? wallet : given.provenWallet,
      given.nextRefreshAtMs === undefined ? null : new Date(given.nextRefreshAtMs),
      given.isOffline ?? false,
      given.badge ?? 'none',
      given.badgeShown ?? given.badge ?? 'none',
      given.category ?? null,
    ],
  )
  if (declaration !== null) {
    await database.query(
      'test-insert-declaration',
      `insert into agent_declarations (agent_id, version, read_at, declaration, severity, changes)
       values ($1, 1, $2, $3, 'first', '[]')`,
      [agentId, at, JSON.stringify(declaration)],
    )
  }
  const agent = await readAgent(database, agentId)
  if (agent === undefined) throw new Error(`agent ${agentId} was not inserted`)
  return agent
}

/** A declaration with one capability, `count`. */
export function sampleDeclaration(wallet: string, changes: Partial<Declaration> = {}): Declaration {
  return {
    service_version: '1.0',
    name: 'Word counter',
    description: 'Counts the words of a text',
    wallet,
    max_deadline_seconds: 300,
    capabilities: {
      count: {
        description: 'Counts words',
        pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
        input_schema: { text: { type: 'string', required: true, maxLength: 100 } },
        output_schema: { words: { type: 'integer' } },
      },
    },
    ...changes,
  }
}

async function nextAgentId(database: Database): Promise<number> {
  const [row] = await database.query<{ next: string }>(
    'test-next-agent',
    'select coalesce(max(agent_id), 0) + 1 as next from agents',
  )
  return Number(row?.next ?? 1)
}
