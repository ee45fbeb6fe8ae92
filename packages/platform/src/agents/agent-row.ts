import { agentCategories, type AgentCategory } from '@farebox/platform-api/internal/listing/agent-categories'
import type { Declaration } from '@farebox/protocol/declaration/declaration'

/**
 * An agent's listing status:
 *
 * - `waiting`: registered on the chain, not inspected yet
 * - `listed`: has proven its wallet
 * - `provisional`: serves no `/about` (Phase 1, D36)
 * - `refused`: does not match its registration
 * - `taken-down`: removed by the operator
 * - `deregistered`: has its stake back
 */
export type ListingStatus = 'waiting' | 'listed' | 'provisional' | 'refused' | 'taken-down' | 'deregistered'

/**
 * Whether the agent's own texts are shown, by listing status; not after a take-down or a refusal, nor before the first
 * inspection.
 */
export const SPEAKS: { readonly [standing in ListingStatus]: boolean } = {
  listed: true,
  provisional: true,
  deregistered: true,
  waiting: false,
  refused: false,
  'taken-down': false,
}

/** Badges in ascending order (D34). */
export type Badge = 'none' | 'verified' | 'bronze' | 'silver' | 'gold'

/** An agent as the platform stores it: its data from the registry contract, and what it serves. */
export interface AgentRow {
  /** The registry's token id (D36). */
  readonly agentId: number
  /** The endpoint as its owner wrote it on the chain; can be any text. */
  readonly endpointOnChain: string
  /** The canonical endpoint (REG-03); `undefined` when the text on the chain is not a URL that the platform would call. */
  readonly endpoint: string | undefined
  /** The holder of the token; lower-case address. */
  readonly owner: string
  /** Who wrote the endpoint in the contract; lower-case address. */
  readonly endpointBy: string | undefined
  readonly stakeWei: bigint
  readonly registeredBlock: number
  readonly registeredTransaction: string
  readonly registeredAtMs: number
  readonly standing: ListingStatus
  /** Why the agent was refused or taken down. */
  readonly standingReason: string | undefined
  readonly standingSinceMs: number
  /** The newest declaration the agent served; `undefined` in Phase 1. */
  readonly declaration: Declaration | undefined
  /** The number of different declarations the agent has served. */
  readonly declarationVersion: number
  readonly name: string
  readonly description: string
  /** The wallet that is paid, from the newest declaration; lower-case address. */
  readonly wallet: string | undefined
  /** The wallet whose ownership was proven. Callers are not sent to pay while `wallet` is a different one. */
  readonly provenWallet: string | undefined
  /** When the declaration was last read. */
  readonly refreshedAtMs: number | undefined
  readonly nextRefreshAtMs: number | undefined
  /** When the last inspection began, and the problem it found. */
  readonly inspectedAtMs: number | undefined
  readonly inspectionProblem: string | undefined
  readonly isOffline: boolean
  /** Why the last payment to the agent failed; `undefined` when no problem is known. */
  readonly paymentProblem: string | undefined
  readonly paymentProblemSinceMs: number | undefined
  /** The badge as earned (D34). */
  readonly badge: Badge
  /** The badge as shown: one step lower after three failed checks in a row. */
  readonly badgeShown: Badge
  /** The category its owner chose on the platform; `undefined` when none was chosen. */
  readonly category: AgentCategory | undefined
}

/** A row of the table `agents` as the database driver returns it. */
export interface AgentColumns {
  readonly agent_id: string
  readonly endpoint_on_chain: string
  readonly endpoint: string | null
  readonly owner: string
  readonly endpoint_by: string | null
  readonly stake_wei: string
  readonly registered_block: string
  readonly registered_transaction: string
  readonly registered_at: Date
  readonly standing: ListingStatus
  readonly standing_reason: string | null
  readonly standing_since: Date
  readonly declaration: Declaration | null
  readonly declaration_version: number
  readonly name: string
  readonly description: string
  readonly wallet: string | null
  readonly proven_wallet: string | null
  readonly refreshed_at: Date | null
  readonly next_refresh_at: Date | null
  readonly looked_at: Date | null
  readonly look_problem: string | null
  readonly is_offline: boolean
  readonly payment_problem: string | null
  readonly payment_problem_since: Date | null
  readonly badge: Badge
  readonly badge_shown: Badge
  readonly category: string | null
}

/** The columns of {@link AgentColumns}, for a `select`. */
export const AGENT_COLUMNS = `agent_id, endpoint_on_chain, endpoint, owner, endpoint_by, stake_wei,
  registered_block, registered_transaction, registered_at, standing, standing_reason, standing_since, declaration, declaration_version,
  name, description, wallet, proven_wallet, refreshed_at, next_refresh_at, looked_at, look_problem, is_offline,
  payment_problem, payment_problem_since, badge, badge_shown, category`

/** Converts a row of the database driver to an {@link AgentRow}. */
export function toAgentRow(columns: AgentColumns): AgentRow {
  return {
    agentId: Number(columns.agent_id),
    endpointOnChain: columns.endpoint_on_chain,
    endpoint: columns.endpoint ?? undefined,
    owner: columns.owner,
    endpointBy: columns.endpoint_by ?? undefined,
    stakeWei: BigInt(columns.stake_wei),
    registeredBlock: Number(columns.registered_block),
    registeredTransaction: columns.registered_transaction,
    registeredAtMs: columns.registered_at.getTime(),
    standing: columns.standing,
    standingReason: columns.standing_reason ?? undefined,
    standingSinceMs: columns.standing_since.getTime(),
    declaration: columns.declaration ?? undefined,
    declarationVersion: columns.declaration_version,
    name: columns.name,
    description: columns.description,
    wallet: columns.wallet ?? undefined,
    provenWallet: columns.proven_wallet ?? undefined,
    refreshedAtMs: columns.refreshed_at?.getTime(),
    nextRefreshAtMs: columns.next_refresh_at?.getTime(),
    inspectedAtMs: columns.looked_at?.getTime(),
    inspectionProblem: columns.look_problem ?? undefined,
    isOffline: columns.is_offline,
    paymentProblem: columns.payment_problem ?? undefined,
    paymentProblemSinceMs: columns.payment_problem_since?.getTime(),
    badge: columns.badge,
    badgeShown: columns.badge_shown,
    category: toCategory(columns.category),
  }
}

/** `undefined` when no category is stored, or a category that was removed from the list. */
export function toCategory(kept: string | null): AgentCategory | undefined {
  return agentCategories.find(category => category === kept)
}

/**
 * The owner in whose name an agent is called, for whom a private network may be open (D54); `undefined` when another
 * account wrote the endpoint, because anyone can transfer an agent to anyone.
 */
export function calledFor({ owner, endpointBy }: Pick<AgentRow, 'owner' | 'endpointBy'>): string | undefined {
  return owner === endpointBy ? owner : undefined
}
