import { sleep, type Clock } from '@farebox/protocol/time/clock'
import { parseReceipt, type ChainReceipt } from '../chain/chain-receipt.ts'
import type { JsonRpc } from '../chain/json-rpc.ts'
import { broadcast } from './broadcast.ts'
import { countTransactions } from './read-account.ts'
import type { SignedTransaction } from './sign-transaction.ts'

/** A signed transaction that may have been sent. */
export interface SentTransaction extends SignedTransaction {
  /** Address of the signer. */
  readonly from: string
  readonly nonce: number
}

/** The outcome of a transaction. */
export type FollowedToBlock =
  /** It succeeded or reverted. */
  | { readonly outcome: 'in a block'; readonly receipt: ChainReceipt }
  /** Another transaction used its nonce: it can never be mined. */
  | { readonly outcome: 'dead' }
  /** Not mined in time; it may be mined later. */
  | { readonly outcome: 'open' }

/** How long to wait, and on which clock. */
export interface FollowLimits {
  readonly clock: Clock
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /**
   * After how many consecutive unanswered or refused requests to give up on the node; default: only when the time is over.
   */
  readonly maxSilences?: number
}

/** Interval between two checks of the chain. */
export const POLL_MS = 700
/** One URL may lead to several nodes, some of them behind: a transaction must appear dead this many times in a row. */
const DEAD_LOOKS = 5

/**
 * Sends a signed transaction, repeatedly if needed, and waits until it is mined. The same bytes can be mined only once,
 * however often they are sent. An unresponsive node may recover, so the transaction is not given up because of one. Never
 * rejects: after an abort the outcome is `open`, and the transaction may still be mined.
 */
export async function sendUntilMined(
  rpc: Pick<JsonRpc, 'call'>,
  sent: SentTransaction,
  { clock, timeoutMs, signal, maxSilences = Number.POSITIVE_INFINITY }: FollowLimits,
): Promise<FollowedToBlock> {
  const endMs = clock.nowMs() + timeoutMs
  let [deadLooks, silences] = [0, 0]
  for (;;) {
    const look = await lookOnce(rpc, sent).catch(() => ({ outcome: 'silent' }) as const)
    if (look.outcome === 'in a block') return look
    deadLooks = look.outcome === 'dead' ? deadLooks + 1 : 0
    silences = look.outcome === 'silent' ? silences + 1 : 0
    if (look.outcome === 'dead' && deadLooks === DEAD_LOOKS) return look
    // A node that has it already refuses it, and a refusal for another reason shows in the state of the chain; so errors are
    // ignored.
    if (look.outcome === 'open') await broadcast(rpc, sent.raw).catch(() => undefined)
    if (clock.nowMs() >= endMs || silences >= maxSilences) return { outcome: 'open' }
    await sleep(clock, POLL_MS, signal)
    if (signal.aborted) return { outcome: 'open' }
  }
}

async function lookOnce(
  rpc: Pick<JsonRpc, 'call'>,
  { from, nonce, hash }: SentTransaction,
): Promise<FollowedToBlock> {
  // Read before the receipt: otherwise a block between the two requests would make a mined transaction look replaced.
  const count = await countTransactions(rpc, from, 'latest')
  const answer = await rpc.call('eth_getTransactionReceipt', [hash])
  if (answer !== null && answer !== undefined)
    return { outcome: 'in a block', receipt: readAnswer(answer, hash) }
  return { outcome: count > nonce ? 'dead' : 'open' }
}

/** Throws for anything but a complete receipt of this transaction, which would prove neither success nor failure. */
function readAnswer(answer: unknown, hash: string): ChainReceipt {
  const receipt = parseReceipt(answer)
  const { status } = Object(answer) as { readonly status?: unknown }
  const isWhole = status === '0x1' || status === '0x0'
  if (receipt === undefined || !isWhole || receipt.transactionHash !== hash.toLowerCase())
    throw new Error('the node gave a receipt that cannot be read')
  return receipt
}
