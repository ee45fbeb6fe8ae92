import { sleep, type Clock } from '@farebox/protocol/time/clock'
import { parseReceipt, type ChainReceipt } from '../chain/chain-receipt.ts'
import type { JsonRpc } from '../chain/json-rpc.ts'
import { broadcast } from './broadcast.ts'
import { countTransactions } from './read-account.ts'
import type { SignedTransaction } from './sign-transaction.ts'

/** A transaction that was signed and may have been sent. */
export interface SentTransaction extends SignedTransaction {
  /** Address of who signed it. */
  readonly from: string
  readonly nonce: number
}

/** Its outcome. */
export type FollowedToBlock =
  /** It succeeded or was reverted. */
  | { readonly outcome: 'in a block'; readonly receipt: ChainReceipt }
  /** Another transaction took its nonce: it will never be in a block. */
  | { readonly outcome: 'dead' }
  /** Not in a block in time; it may be later. */
  | { readonly outcome: 'open' }

/** How long to wait, and by which clock. */
export interface FollowLimits {
  readonly clock: Clock
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** How often in a row the node may be silent, or refuse to say, before it is given up; default: until the time is over. */
  readonly maxSilences?: number
}

/** How often the chain is looked at. */
export const POLL_MS = 700
/** Behind one URL there may be several nodes, one behind the other: what is dead has to look so as often in a row. */
const DEAD_LOOKS = 5

/**
 * Sends a signed transaction, as often as it takes, and waits until it is in a block. The same bytes can be in a block
 * once only, however often they are sent. A node that does not answer now may in a moment: what was signed is not given
 * up for that.
 * Never rejects: once the signal has aborted it is `open`, and may be in a block later.
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
    // A node that has it already says so, and one that will not have it is told by what the chain does.
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
  // Asked before the receipt: a block between the two questions must not make a mined one look replaced.
  const count = await countTransactions(rpc, from, 'latest')
  const answer = await rpc.call('eth_getTransactionReceipt', [hash])
  if (answer !== null && answer !== undefined)
    return { outcome: 'in a block', receipt: readAnswer(answer, hash) }
  return { outcome: count > nonce ? 'dead' : 'open' }
}

/** Throws where it is not a whole receipt of this transaction: neither a success nor a failure may be read from that. */
function readAnswer(answer: unknown, hash: string): ChainReceipt {
  const receipt = parseReceipt(answer)
  const { status } = Object(answer) as { readonly status?: unknown }
  const isWhole = status === '0x1' || status === '0x0'
  if (receipt === undefined || !isWhole || receipt.transactionHash !== hash.toLowerCase())
    throw new Error('the node gave a receipt that cannot be read')
  return receipt
}
