import { searchMatches, type FieldShape, type FoundAgent } from '@farebox/platform-api/search'
import type { FieldType } from '@farebox/protocol/fields/field'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { toCategory, type Badge } from '../agents/agent-row.ts'
import { availabilityWord } from '../agents/availability.ts'
import { uptimeOf } from '../agents/history.ts'
import { ownersText } from '../listing/owners-text.ts'
import { shownEndpoint } from '../listing/shown-endpoint.ts'
import type { Found } from './collect-matches.ts'

/** The part of an agent's texts and capabilities that a list shows. */
const SHOWN_NAME_CHARACTERS = 64
const SHOWN_DESCRIPTION_CHARACTERS = 280
const SHOWN_CAPABILITIES = 8

/** Reads the list entries of these agents, in this order. An agent that was removed in the meantime is omitted. */
export async function readCards(
  database: Database,
  found: readonly Found[],
  showMatch: boolean,
): Promise<readonly FoundAgent[]> {
  if (found.length === 0) return []
  const rows = await database.query<CardColumns>('search-cards', READ_CARDS, [
    found.map(({ agentId }) => agentId),
    SHOWN_CAPABILITIES,
  ])
  const byId = new Map(rows.map(row => [row.agent_id, row]))
  return found.flatMap(({ agentId, stage }) => {
    const row = byId.get(agentId)
    return row === undefined
      ? []
      : [{ ...cardOf(row), match: showMatch ? (searchMatches[stage] ?? null) : null }]
  })
}

interface CardColumns {
  readonly agent_id: string
  readonly name: string
  readonly description: string
  readonly endpoint: string | null
  readonly owner: string
  readonly badge_shown: Badge
  readonly category: string | null
  readonly registered_at: Date
  readonly is_provisional: boolean
  readonly jobs_done: string
  readonly capabilities: readonly OfferColumns[] | null
  readonly capability_count: number
  readonly min_price_atomic: string
  readonly job_p50_ms: number | null
  /** Null when the agent was never checked. */
  readonly failures: number | null
  readonly checked_at: Date | null
  readonly ok_30d: number | null
  readonly failed_30d: number | null
}

interface OfferColumns {
  readonly name: string
  readonly price: string
  readonly takes: readonly FieldColumns[]
  readonly takes_count: number
  readonly gives: readonly FieldColumns[]
  readonly gives_count: number
}

/** In the form written by `describeEntry`. */
type FieldColumns = readonly [name: string, type: FieldType, required: boolean]

const READ_CARDS = `
  select agent.agent_id, agent.name, agent.description, agent.endpoint, agent.owner, agent.badge_shown,
    agent.category, agent.registered_at, entry.is_provisional, entry.jobs_done, entry.min_price_atomic, tally.job_p50_ms,
    health.failures, health.checked_at, health.month_ok + health.day_ok as ok_30d,
    health.month_failed + health.day_failed as failed_30d, offers.*
  from unnest($1::bigint[]) as wanted (agent_id)
  join agents agent on agent.agent_id = wanted.agent_id
  join search_entries entry on entry.agent_id = wanted.agent_id
  left join agent_tallies tally on tally.agent_id = wanted.agent_id
  left join agent_health health on health.agent_id = wanted.agent_id
  cross join lateral (
    select count(*)::int as capability_count,
      json_agg(json_build_object('name', capability, 'price', price_atomic::text, 'takes', takes,
        'takes_count', takes_count, 'gives', gives, 'gives_count', gives_count) order by ordinal)
        filter (where place <= $2) as capabilities
    from (
      select capability, price_atomic, ordinal, takes, takes_count, gives, gives_count, row_number() over (order by ordinal) as place
      from search_capabilities where agent_id = wanted.agent_id
    ) as offer
  ) as offers`

function cardOf(row: CardColumns): Omit<FoundAgent, 'match'> {
  const offers = row.capabilities ?? []
  const name = ownersText(row.name, SHOWN_NAME_CHARACTERS)
  const description = ownersText(row.description, SHOWN_DESCRIPTION_CHARACTERS)
  return {
    agent_id: Number(row.agent_id),
    name: name.text,
    description: description.text,
    text_warnings: [...new Set([...name.warnings, ...description.warnings])],
    endpoint: shownEndpoint(row.endpoint),
    owner: row.owner,
    provisional: row.is_provisional,
    badge: row.badge_shown,
    category: toCategory(row.category) ?? null,
    availability: availabilityWord(
      row.failures === null ? undefined : { failures: row.failures, isChecked: row.checked_at !== null },
    ),
    uptime_30d: uptimeOf({ ok: row.ok_30d ?? 0, failed: row.failed_30d ?? 0 }) ?? null,
    job_p50_ms: row.job_p50_ms,
    jobs_done: Number(row.jobs_done),
    price_from: offers.length === 0 ? null : formatUsdc(BigInt(row.min_price_atomic)),
    capabilities: offers.map(offerOf),
    capability_count: row.capability_count,
    registered_at: Math.floor(row.registered_at.getTime() / 1_000),
  }
}

function offerOf({ price, takes, gives, ...offer }: OfferColumns): FoundAgent['capabilities'][number] {
  return { ...offer, price: formatUsdc(BigInt(price)), takes: takes.map(fieldOf), gives: gives.map(fieldOf) }
}

function fieldOf([name, type, required]: FieldColumns): FieldShape {
  return { name, type, required }
}
