import type { SenderLease } from '../ledger/settlement-ledger.ts'
import type { BatchTiming } from './batch-timing.ts'
import type { PassNotifier } from './notifier.ts'
import { MAX_BATCH, type Relayer } from './account/relayer-account.ts'
import type { RelayerNode } from './account/relayer-node.ts'

/**
 * Payments are sent together, or each in a transaction of its own; payments from accounts with unknown code are sent alone,
 * one after another. Each lane has its own limit, so that none can crowd out another.
 */
export type SettlementLane = 'together' | 'single' | 'alone'

/** A transaction in flight. */
export interface FollowedTransaction {
  readonly nonce: number
  readonly lane: SettlementLane
  /** Since when it is followed, unchanged when its fees are raised. */
  readonly sinceMs: number
  readonly done: Promise<void>
}

/** The time during which a process holds the lease of one relayer account. */
export interface RelayerTerm {
  readonly relayer: Relayer
  readonly lease: SenderLease
  /** Aborted when the lease is lost or the process stops. */
  readonly end: AbortController
  /** The transactions in flight, by their id in the ledger. */
  readonly following: Map<string, FollowedTransaction>
  /** The nonce from which the search for a free one starts; undefined when the chain must be asked. */
  nextNonce: number | undefined
  /** How many transactions were sent in this term. */
  sent: number
}

/** The state shared by all senders of a process. */
export interface SenderState {
  /** Identifies the process in the ledger. */
  readonly holder: string
  /** The accounts that it sends from, by address. */
  readonly terms: Map<string, RelayerTerm>
  readonly batching: BatchTiming
  /** Notified when there may be work. */
  readonly notifier: PassNotifier
  /** A transaction is being made: two at once would use the same nonce. */
  isAtWork: boolean
}

/**
 * The most transactions of one account in flight, by lane. Together: eight that are spread over a block, and eight full
 * ones; more would only queue in the node, and be dropped together if one is dropped.
 */
const MAX_OPEN: { readonly [lane in SettlementLane]: number } = { together: 16, single: 4, alone: 1 }

/** Can this account, given by address, pay for a transaction with this many payments? */
export type CanPay = (relayer: string, payments: number) => boolean

/** Begins a term. */
export function beginTerm(relayer: Relayer, lease: SenderLease): RelayerTerm {
  return { relayer, lease, end: new AbortController(), following: new Map(), nextNonce: undefined, sent: 0 }
}

/** May another transaction of this account be sent in this lane? */
export function hasRoomInLane(term: RelayerTerm, lane: SettlementLane): boolean {
  return !term.end.signal.aborted && countOpen(term, lane) < MAX_OPEN[lane]
}

/** Longer than full blocks usually delay a transaction. */
const HELD_UP_BLOCKS = 3

/** Has a transaction of this account waited so long that later ones should be sent from another account? */
export function isHeldUp({ following }: RelayerTerm, nowMs: number, blockMs: number): boolean {
  return [...following.values()].some(({ sinceMs }) => nowMs - sinceMs > HELD_UP_BLOCKS * blockMs)
}

/**
 * The account that sends the next transaction of a lane: of the accounts below their limit and not held up, the one with the
 * fewest in flight, and among equals the one that has sent the fewest, so that all are used alike; undefined when there is
 * none. Payments sent alone are limited to one transaction over all accounts: they involve untrusted code, so more accounts
 * do not give them more capacity.
 */
export function chooseTerm(
  terms: readonly RelayerTerm[],
  lane: SettlementLane,
  canPay: CanPay = () => true,
  isLast: (term: RelayerTerm) => boolean = () => false,
): RelayerTerm | undefined {
  if (lane === 'alone' && terms.some(term => countOpen(term, 'alone') > 0)) return undefined
  const free = terms.filter(term => hasRoomInLane(term, lane))
  const paying = (payments: (term: RelayerTerm) => number): readonly RelayerTerm[] =>
    free.filter(term => canPay(term.relayer.address, payments(term)))
  // Accounts that could pay for a full transaction in addition to all in flight come first. If no account can pay, the node
  // reports that.
  const able = [
    paying(({ following }) => MAX_BATCH * (following.size + 1)),
    paying(() => MAX_BATCH),
    paying(() => 1),
  ]
  return [...(able.find(found => found.length > 0) ?? free)].sort(
    (one, other) =>
      Number(isLast(one)) - Number(isLast(other)) ||
      one.following.size - other.following.size ||
      one.sent - other.sent,
  )[0]
}

/** How many transactions of an account are in flight, in all lanes. */
export function countInFlight({ following }: RelayerTerm): number {
  return following.size
}

function countOpen(term: RelayerTerm, lane: SettlementLane): number {
  return [...term.following.values()].filter(one => one.lane === lane).length
}

/** The smallest nonce of an account's transactions in flight; infinite if there are none. */
export function lowestOpenNonce(term: RelayerTerm): number {
  return Math.min(...[...term.following.values()].map(one => one.nonce))
}

/**
 * The lowest nonce that no open transaction uses. Not the one after the highest: a dropped transaction leaves a gap, and
 * until it is filled no later transaction can be mined.
 */
export async function findFreeNonce(node: RelayerNode, term: RelayerTerm): Promise<number> {
  const taken = new Set([...term.following.values()].map(one => one.nonce))
  let nonce = term.nextNonce ?? (await node.nonce(term.relayer.address))
  while (taken.has(nonce)) nonce += 1
  return nonce
}
