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

/** When a transaction is sent to the node. */
export interface SendProgress {
  /**
   * When it is sent next, unless it is stuck first; infinite when sending it again is useless, because the node has another
   * transaction with its nonce.
   */
  atMs: number
  /** Pause before the next attempt if the node does not accept it. */
  againMs: number
  /** Since when it has been waiting for a block with its current fees. */
  waitsSinceMs: number
  /** How often the chain's transaction count was past its nonce without a receipt. */
  nonceUsed: number
  /** The node accepted it. */
  wasSent: boolean
}

/**
 * Pause before a transaction that the node did not accept is sent again; doubled each time, until the transaction counts as
 * stuck.
 */
const FIRST_AGAIN_MS = 250
/**
 * Blocks without a receipt after which the same bytes are sent again. Nodes drop transactions silently: when the pool was
 * full, when a connection was closed before the node had read what it received; and anvil drops those that would still fit
 * into a block in which an earlier one did not (decision 69).
 */
const RESEND_BLOCKS = 2

/** The initial state of a transaction that was just saved. */
export function beginSending(nowMs: number): SendProgress {
  return { atMs: 0, againMs: FIRST_AGAIN_MS, waitsSinceMs: nowMs, nonceUsed: 0, wasSent: false }
}

/** Restarts the wait of a transaction that was signed again. */
export function beginAnew(sending: SendProgress, nowMs: number): void {
  sending.waitsSinceMs = nowMs
  sending.againMs = FIRST_AGAIN_MS
  sending.wasSent = false
}

/**
 * Sends a transaction to the node, and decides when it is sent again.
 *
 * Resolves to its receipt if the node waited for its block. Rejects when the node gives no answer.
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
    // The node may have waited for the block, so the waiting time starts at its response.
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

/** Refused for a temporary reason: a full pool, too many requests, or an account without gas money that may be funded. */
function isWorthRepeating(broadcast: Extract<RelayerBroadcast, { kind: 'refused' }>): boolean {
  return broadcast.why === 'other' || broadcast.why === 'no-funds'
}
