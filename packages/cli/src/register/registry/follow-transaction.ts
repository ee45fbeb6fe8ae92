import type { Clock } from '@farebox/client/internal/exchange/clock'
import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import type { OpenChain } from '../../chain/open-chain.ts'
import type { OpenRegistry } from './open-registry.ts'
import {
  callNode,
  countTransactions,
  NodeUnreachable,
  readFirstBlock,
  readReceipt,
  type TransactionReceipt,
} from '../transaction/call-node.ts'

/** A transaction that was signed and may have been sent. */
export interface SentTransaction {
  readonly from: string
  readonly nonce: number
  readonly hash: string
  readonly raw: string
  readonly firstBlock: string
}

/** What became of it. */
export type Followed =
  | { readonly outcome: 'in a block'; readonly receipt: TransactionReceipt }
  /** Another transaction took its nonce, or its chain was begun anew: it will never be in a block. */
  | { readonly outcome: 'dead' }
  /** Not in a block in time; it may be later. */
  | { readonly outcome: 'open' }

const POLL_MS = 700
/** Behind one URL there may be several nodes, one behind the other: what is dead has to look so as often in a row. */
const DEAD_LOOKS = 5
const SILENCES_BORNE = 5

/**
 * Sends a signed transaction, as often as it takes, and waits until it is in a block. The same bytes can be in a
 * block once only, however often they are sent.
 *
 * @throws the signal's reason; then it may be in a block later
 */
export async function followTransaction(
  { chain, crypto }: Pick<OpenRegistry, 'chain' | 'crypto'>,
  sent: SentTransaction,
  options: { readonly clock: Clock; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Followed> {
  const { clock, timeoutMs, signal } = options
  if ((await readFirstBlock(chain)) !== sent.firstBlock) return { outcome: 'dead' }
  const endMs = clock.nowMs() + timeoutMs
  let [deadLooks, silences] = [0, 0]
  for (;;) {
    const followed = await orSilent(lookOnce(chain, crypto, sent))
    if (followed.outcome === 'in a block') return followed
    deadLooks = followed.outcome === 'dead' ? deadLooks + 1 : 0
    silences = followed.outcome === 'silent' ? silences + 1 : 0
    if (followed.outcome === 'dead' && deadLooks === DEAD_LOOKS) return followed
    if (clock.nowMs() >= endMs || silences === SILENCES_BORNE) return { outcome: 'open' }
    if (followed.outcome === 'open') await orSilent(sendAgain(chain, sent))
    await clock.sleep(POLL_MS, signal)
  }
}

/** A node that does not answer now may in a moment: what was signed is not given up for that. */
async function orSilent<T>(asked: Promise<T>): Promise<T | { readonly outcome: 'silent' }> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof NodeUnreachable) return { outcome: 'silent' }
    throw error
  }
}

async function lookOnce(
  chain: OpenChain,
  crypto: OpenRegistry['crypto'],
  { from, nonce, hash }: SentTransaction,
): Promise<Followed> {
  // Asked before the receipt: a block between the two questions must not make a mined one look replaced.
  const count = await countTransactions(chain, from, 'latest')
  const receipt = await readReceipt(chain, crypto, hash)
  if (receipt !== undefined) return { outcome: 'in a block', receipt }
  return { outcome: count > nonce ? 'dead' : 'open' }
}

/** A node that has it already says so by an error; a node that will not have it is told by what the chain does. */
async function sendAgain(chain: OpenChain, { raw }: SentTransaction): Promise<void> {
  await callNode(chain, 'eth_sendRawTransaction', [raw]).catch((error: unknown) => {
    if (!(error instanceof JsonRpcError)) throw error
  })
}
