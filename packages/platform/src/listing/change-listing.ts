import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type pg from 'pg'
import type { AgentRow, ListingStatus } from '../agents/agent-row.ts'
import { inspectCompetitorsSoon } from '../agents/inspect-soon.ts'
import { unwatchAgent, watchAgent } from '../agents/watch-agent.ts'
import { indexAgent } from './index-agent.ts'
import { findTransition, STATUSES, type ListingEvent, type ListingTransition } from './listing-transitions.ts'

/** The data of an agent in the registry contract. */
export type OnChain = Pick<
  AgentRow,
  | 'endpointOnChain'
  | 'endpoint'
  | 'owner'
  | 'endpointBy'
  | 'stakeWei'
  | 'registeredBlock'
  | 'registeredTransaction'
  | 'registeredAtMs'
>

/** A declaration as stored in the agent's row. */
export interface Declared {
  readonly declaration: Declaration
  readonly version: number
  /** The wallet that is paid; lower-case address. */
  readonly wallet: string
}

/** The findings of an inspection, apart from the status. */
export interface InspectionResult {
  /** The problem found; `undefined` when there was none. */
  readonly problem: string | undefined
  /** The number of failed inspections in a row, including this one. */
  readonly failures: number
  /** `undefined` when no further inspection is scheduled; then an event triggers the next one. */
  readonly nextInspectionMs: number | undefined
  /** Since when `/about` cannot be read; `undefined` when it can. */
  readonly aboutMissingSinceMs: number | undefined
  /** The newly read declaration, or only a name when there is none any more; `undefined` when nothing changed. */
  readonly declared: Declared | { readonly name: string } | undefined
}

/** A change of an agent. */
export interface ListingChange {
  readonly event: ListingEvent
  /** The new listing status. */
  readonly to: ListingStatus
  /**
   * Why the agent is refused or taken down. When `undefined`, the reason is kept if the status stays the same, and cleared
   * otherwise.
   */
  readonly reason?: string | undefined
  /** The current data of the contract, if it changed. */
  readonly onChain?: OnChain
  /** Set only by inspections. */
  readonly inspection?: InspectionResult
  readonly nowMs: number
}

/**
 * Writes a change of an agent and its consequences: health checks start or stop, the search entry is written or removed,
 * and when the agent gave up its endpoint, the agents waiting for the endpoint are inspected. No other code writes the
 * listing status of an existing agent.
 *
 * Runs in the caller's transaction, which has locked the agent's row and, when the endpoint is given up, those of the
 * competitors (`lockWithCompetitors`).
 *
 * @throws {RangeError} when the table of transitions does not contain the change
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
 * Inserts the row of an agent that appears in the contract for the first time. It has no checks or search entry yet.
 *
 * @throws {RangeError} when the table of transitions does not contain the change
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
    endpoint_by: onChain.endpointBy ?? null,
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

/** How long callers are not sent to pay an agent whose payment failed, unless it is shown earlier that it can be paid. */
const UNPAID_MS = 20 * 3_600_000

/**
 * Clears the payment problem when the endpoint or the owner changes, and at the daily inspection. Any caller can trigger an
 * earlier inspection.
 */
function paymentProblemColumns({ onChain, nowMs }: ListingChange, agent: AgentRow | undefined): Columns {
  const since = agent?.paymentProblemSinceMs
  if (since === undefined) return {}
  const isOther =
    onChain !== undefined && (onChain.endpoint !== agent?.endpoint || onChain.owner !== agent?.owner)
  return isOther || nowMs - since >= UNPAID_MS ? { payment_problem: null, payment_problem_since: null } : {}
}

/** The owner's wallet when it is proven, otherwise null. A proof is valid for one owner, while the status keeps it. */
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
