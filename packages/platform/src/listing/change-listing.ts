import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type pg from 'pg'
import type { AgentRow, ListingStatus } from '../agents/agent-row.ts'
import { inspectCompetitorsSoon } from '../agents/inspect-soon.ts'
import { unwatchAgent, watchAgent } from '../agents/watch-agent.ts'
import { indexAgent } from './index-agent.ts'
import { findTransition, STATUSES, type ListingEvent, type ListingTransition } from './listing-transitions.ts'

/** What the registry contract says of an agent. */
export type OnChain = Pick<
  AgentRow,
  | 'endpointOnChain'
  | 'endpoint'
  | 'owner'
  | 'stakeWei'
  | 'registeredBlock'
  | 'registeredTransaction'
  | 'registeredAtMs'
>

/** A declaration as the row has it. */
export interface Declared {
  readonly declaration: Declaration
  readonly version: number
  /** Who is paid by it; lower-case address. */
  readonly wallet: string
}

/** What an inspection found besides the status. */
export interface InspectionResult {
  /** What it stumbled over; undefined: nothing. */
  readonly problem: string | undefined
  /** How many inspections in a row did, this one included. */
  readonly failures: number
  /** Undefined: when something happens. */
  readonly nextInspectionMs: number | undefined
  /** Since when `/about` cannot be read; undefined: it can. */
  readonly aboutMissingSinceMs: number | undefined
  /** What the agent declares: as just read, or nothing any more; undefined: as before. */
  readonly declared: Declared | { readonly name: string } | undefined
}

/** Something that happened to an agent. */
export interface ListingChange {
  readonly event: ListingEvent
  /** What it becomes. */
  readonly to: ListingStatus
  /** Why it is refused or taken down. Undefined: as before where the status stays, else no reason. */
  readonly reason?: string | undefined
  /** What the contract says by now, where that is new. */
  readonly onChain?: OnChain
  /** Given by an inspection alone. */
  readonly inspection?: InspectionResult
  readonly nowMs: number
}

/**
 * Writes what happened to an agent, and what follows from it: its checks begin or end, its entry in the search is made
 * or removed, and where it gave its endpoint up, whoever waits for that is inspected. Nothing else writes an agent's
 * listing status.
 *
 * Runs in the caller's transaction, which holds the agent's row, and where the endpoint is given up those of the
 * competitors too (`lockWithCompetitors`).
 *
 * @throws {RangeError} for a change that the table of transitions does not have
 */
export async function changeListing(
  client: pg.PoolClient,
  agent: AgentRow,
  change: ListingChange,
): Promise<void> {
  const { agentId, endpoint, standing } = agent
  const { event, to, nowMs } = change
  const transition = findTransition(event, standing, to)
  await updateRow(client, agentId, columnsOf(transition, change, agent))
  if (STATUSES[to].isWatched) await watchAgent(client, agentId, nowMs)
  else await unwatchAgent(client, agentId)
  await indexAgent(client, agentId)
  if (transition.vacates) await inspectCompetitorsSoon(client, { endpoint, exceptAgentId: agentId, nowMs })
}

/**
 * Makes the row of an agent that the contract speaks of for the first time. Nothing depends on it yet.
 *
 * @throws {RangeError} for a change that the table of transitions does not have
 */
export async function enterListing(
  client: pg.PoolClient,
  agentId: number,
  change: Omit<ListingChange, 'inspection'> & { readonly onChain: OnChain },
): Promise<void> {
  const transition = findTransition(change.event, 'nothing', change.to)
  await insertRow(client, { agent_id: agentId, ...columnsOf(transition, change) })
}

type Columns = Readonly<Record<string, string | number | Date | null>>

async function updateRow(client: pg.PoolClient, agentId: number, columns: Columns): Promise<void> {
  const assignments = Object.keys(columns).map((name, index) => `${name} = $${index + 2}`)
  await client.query(`update agents set ${assignments.join(', ')} where agent_id = $1`, [
    agentId,
    ...Object.values(columns),
  ])
}

async function insertRow(client: pg.PoolClient, columns: Columns): Promise<void> {
  const names = Object.keys(columns)
  const values = names.map((_, index) => `$${index + 1}`)
  await client.query(
    `insert into agents (${names.join(', ')}) values (${values.join(', ')})`,
    Object.values(columns),
  )
}

function columnsOf(transition: ListingTransition, change: ListingChange, agent?: AgentRow): Columns {
  const { to, reason, onChain, inspection, nowMs } = change
  const stays = agent?.standing === to
  return {
    ...(onChain && chainColumns(onChain)),
    ...(inspection && inspectionColumns(inspection, nowMs)),
    standing: to,
    standing_reason: reason ?? (stays ? agent.standingReason : undefined) ?? null,
    ...(!stays && { standing_since: new Date(nowMs) }),
    proven_wallet: provenWallet(change, agent),
    about_missing_since: toDate(inspection?.aboutMissingSinceMs),
    ...paymentProblemColumns(change, agent),
    ...nextInspectionColumns(transition, change),
  }
}

function chainColumns(onChain: OnChain): Columns {
  return {
    endpoint_on_chain: onChain.endpointOnChain,
    endpoint: onChain.endpoint ?? null,
    owner: onChain.owner,
    stake_wei: onChain.stakeWei.toString(),
    registered_block: onChain.registeredBlock,
    registered_transaction: onChain.registeredTransaction,
    registered_at: new Date(onChain.registeredAtMs),
  }
}

function inspectionColumns({ problem, failures, declared }: InspectionResult, nowMs: number): Columns {
  const outcome = { look_problem: problem ?? null, look_failures: failures }
  if (declared === undefined) return outcome
  if (!('declaration' in declared)) {
    return { ...outcome, declaration: null, name: declared.name, description: '', wallet: null }
  }
  const { declaration, version, wallet } = declared
  return {
    ...outcome,
    declaration: JSON.stringify(declaration),
    declaration_version: version,
    name: declaration.name,
    description: declaration.description,
    wallet,
    refreshed_at: new Date(nowMs),
  }
}

/** How long an agent that could not take a payment is not paid, if nothing shows before that it can. */
const UNPAID_MS = 20 * 3_600_000

/** Forgotten with the endpoint or the owner, and by the daily look. Anybody may have an agent looked at sooner. */
function paymentProblemColumns({ onChain, nowMs }: ListingChange, agent: AgentRow | undefined): Columns {
  const since = agent?.paymentProblemSinceMs
  if (since === undefined) return {}
  const isOther =
    onChain !== undefined && (onChain.endpoint !== agent?.endpoint || onChain.owner !== agent?.owner)
  return isOther || nowMs - since >= UNPAID_MS ? { payment_problem: null, payment_problem_since: null } : {}
}

/** The owner's or nobody's: a proof is for one owner, and lasts as long as the status says. */
function provenWallet(
  { to, onChain, inspection }: ListingChange,
  agent: AgentRow | undefined,
): string | null {
  const owner = onChain?.owner ?? agent?.owner
  if (owner === undefined || !STATUSES[to].keepsProof) return null
  const declared = inspection?.declared
  const isProvenNow = declared !== undefined && 'wallet' in declared && declared.wallet === owner
  return isProvenNow || agent?.provenWallet === owner ? owner : null
}

function nextInspectionColumns(
  { inspect: when }: ListingTransition,
  { inspection, nowMs }: ListingChange,
): Columns {
  if (when === 'planned') return { next_refresh_at: toDate(inspection?.nextInspectionMs) }
  if (when === 'never') return { next_refresh_at: null }
  return { next_refresh_at: new Date(nowMs), look_since: new Date(nowMs), look_failures: 0 }
}

function toDate(ms: number | undefined): Date | null {
  return ms === undefined ? null : new Date(ms)
}
