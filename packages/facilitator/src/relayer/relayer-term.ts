import type { SenderLease } from '../ledger/settlement-ledger.ts'
import type { BatchTiming } from './batch-timing.ts'
import type { PassNotifier } from './notifier.ts'
import { MAX_BATCH, type Relayer } from './account/relayer-account.ts'
import type { RelayerNode } from './account/relayer-node.ts'

/**
 * Payments go together, or each in a transaction of its own; those of accounts with code that nobody knows go alone, one
 * after the other. No lane can take the place of another.
 */
export type SettlementLane = 'together' | 'single' | 'alone'

/** A transaction in flight. */
export interface FollowedTransaction {
  readonly nonce: number
  readonly lane: SettlementLane
  /** Since when it is followed, whatever fees it has. */
  readonly sinceMs: number
  readonly done: Promise<void>
}

/** The time in which a process holds the lease of one relayer account. */
export interface RelayerTerm {
  readonly relayer: Relayer
  readonly lease: SenderLease
  /** Aborted when the lease is lost or the process stops. */
  readonly end: AbortController
  /** The transactions in flight, by their id in the ledger. */
  readonly following: Map<string, FollowedTransaction>
  /** The nonce from which a free one is looked for; undefined where the chain must be asked. */
  nextNonce: number | undefined
  /** How many transactions it has sent. */
  sent: number
}

/** The state that all senders from a process's accounts share. */
export interface SenderState {
  /** Names the process in the ledger. */
  readonly holder: string
  /** The accounts it sends from, by address. */
  readonly terms: Map<string, RelayerTerm>
  readonly batching: BatchTiming
  /** Notified when there may be work. */
  readonly notifier: PassNotifier
  /** Somebody is making a transaction: of two at once both would take the same nonce. */
  isAtWork: boolean
}

/**
 * Transactions of one account in flight at once, in each lane. Together: eight that are spread over a block, and as many
 * full ones; more would only queue in the node, and fall together if one does.
 */
const MAX_OPEN: { readonly [lane in SettlementLane]: number } = { together: 16, single: 4, alone: 1 }

/** Has this account, by its address, gas money for a transaction with so many payments? */
export type CanPay = (relayer: string, payments: number) => boolean

/** Begins a term. */
export function beginTerm(relayer: Relayer, lease: SenderLease): RelayerTerm {
  return { relayer, lease, end: new AbortController(), following: new Map(), nextNonce: undefined, sent: 0 }
}

/** May another transaction of this account go in this lane? */
export function hasRoomInLane(term: RelayerTerm, lane: SettlementLane): boolean {
  return !term.end.signal.aborted && countOpen(term, lane) < MAX_OPEN[lane]
}

/** Longer than a block is full now and then. */
const HELD_UP_BLOCKS = 3

/** Has one of its transactions waited for so long that those behind it had better gone from another account? */
export function isHeldUp({ following }: RelayerTerm, nowMs: number, blockMs: number): boolean {
  return [...following.values()].some(({ sinceMs }) => nowMs - sinceMs > HELD_UP_BLOCKS * blockMs)
}

/**
 * The account that sends the next transaction of a lane: of those with room and not held up the one with the fewest in
 * flight, and of several such the one that has sent the fewest, so that all of them are used alike; undefined where none
 * has room. Those that go alone do so one at a time over all accounts: they are untrusted code, and more accounts are not
 * for them.
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
  // First who could pay for a full one beside all that it has in flight. Where none can pay, the node says so.
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

/** The smallest nonce of an account's transactions in flight; infinite where there is none. */
export function lowestOpenNonce(term: RelayerTerm): number {
  return Math.min(...[...term.following.values()].map(one => one.nonce))
}

/**
 * The lowest nonce that no open transaction has. Not the one after the highest: what was dropped leaves a gap, and
 * until that is filled no block takes anything after it.
 */
export async function findFreeNonce(node: RelayerNode, term: RelayerTerm): Promise<number> {
  const taken = new Set([...term.following.values()].map(one => one.nonce))
  let nonce = term.nextNonce ?? (await node.nonce(term.relayer.address))
  while (taken.has(nonce)) nonce += 1
  return nonce
}
