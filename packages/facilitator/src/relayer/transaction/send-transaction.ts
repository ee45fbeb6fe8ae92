import type { ChainReceipt } from '@farebox/payments/chain/chain-receipt'
import type { Clock } from '@farebox/protocol/time/clock'
import type { Log } from '@farebox/server/log'
import type { OpenTransaction } from '../../ledger/settlement-ledger.ts'
import type { Metrics } from '../../metrics.ts'
import type { RelayerBroadcast, RelayerNode } from '../account/relayer-node.ts'

/** The dependencies of sending a transaction. */
export interface SendParts {
  readonly node: RelayerNode
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** Milliseconds from one block to the next. */
  readonly blockMs: () => number
}

/** When a transaction is given to the node. */
export interface SendProgress {
  /** When next, unless it is stuck first; infinite where the node has another transaction with its nonce. */
  atMs: number
  /** If the node does not take it then, it is sent once more after so long. */
  againMs: number
  /** Since when it waits for a block, with the fees it has. */
  waitsSinceMs: number
  /** How often the chain's count was past its nonce, without a receipt. */
  nonceUsed: number
  /** The node was given it, and said nothing against it. */
  wasSent: boolean
}

/** A transaction that a node did not take is sent again after this, and then ever later, until it counts as stuck. */
const FIRST_AGAIN_MS = 250
/**
 * The same bytes are given to a node again after so many blocks without a receipt. Nodes drop transactions without a
 * word: where the pool was full, where a connection was given up before the node had read what came over it, and anvil
 * whichever still fits into a block in which one before it did not (decision 69).
 */
const RESEND_BLOCKS = 2

/** A transaction that was just saved. */
export function beginSending(nowMs: number): SendProgress {
  return { atMs: 0, againMs: FIRST_AGAIN_MS, waitsSinceMs: nowMs, nonceUsed: 0, wasSent: false }
}

/** It was signed again: its wait begins again. */
export function beginAnew(sending: SendProgress, nowMs: number): void {
  sending.waitsSinceMs = nowMs
  sending.againMs = FIRST_AGAIN_MS
  sending.wasSent = false
}

/**
 * Gives a transaction to the node, and decides when it is given to it again.
 *
 * Resolves to its receipt where the node waited for its block. Rejects where the node gives no answer.
 */
export async function sendSettlement(
  { node, clock, log, metrics, blockMs }: SendParts,
  { hash, nonce, raw }: OpenTransaction,
  sending: SendProgress,
): Promise<ChainReceipt | undefined> {
  const startedMs = clock.nowMs()
  sending.atMs = startedMs + sending.againMs
  sending.againMs *= 2
  const isRepeated = sending.wasSent
  const broadcast = await node.broadcast(raw, isRepeated ? undefined : blockMs())
  if (broadcast.kind === 'mined') return broadcast.receipt
  if (broadcast.kind === 'sent') {
    // It may have come back from waiting for the block: the time that counts is that of the answer.
    if (!isRepeated) sending.waitsSinceMs = clock.nowMs()
    sending.wasSent = true
    sending.atMs = startedMs + RESEND_BLOCKS * blockMs()
    return undefined
  }
  if (!isWorthRepeating(broadcast)) sending.atMs = Number.POSITIVE_INFINITY
  metrics.transactions.inc({ outcome: 'refused' })
  if (broadcast.why === 'nonce-used') sending.nonceUsed += 1
  else
    log[broadcast.why === 'no-funds' ? 'error' : 'warn']('transaction refused by the node', {
      hash,
      nonce,
      message: broadcast.message,
    })
  return undefined
}

/** Refused for what may be over in a moment: a full pool, too many requests, an empty purse that is filled. */
function isWorthRepeating(broadcast: Extract<RelayerBroadcast, { kind: 'refused' }>): boolean {
  return broadcast.why === 'other' || broadcast.why === 'no-funds'
}
