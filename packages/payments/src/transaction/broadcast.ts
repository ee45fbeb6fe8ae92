import { JsonRpcError, type JsonRpc } from '../chain/json-rpc.ts'

/**
 * Why a node did not take a transaction: it has it already, it took too long to say, its nonce is used, it pays too
 * little to replace another of the same nonce, the account cannot pay for it, or something else.
 */
export type WhyRefused = 'known' | 'timed-out' | 'nonce-used' | 'underpriced' | 'no-funds' | 'other'

/** Nodes agree on these words, if on nothing else (geth's `txpool` errors). The first that fits counts. */
const WORDS: readonly (readonly [WhyRefused, RegExp])[] = [
  ['known', /already known|already imported|\bknown transaction/i],
  ['timed-out', /timeout|timed out/i],
  ['nonce-used', /nonce too low|nonce is too low/i],
  ['underpriced', /underpriced/i],
  ['no-funds', /insufficient funds/i],
]

/** The reason in the words of a node that refused a transaction. */
export function whyRefused(message: string): WhyRefused {
  return WORDS.find(([, words]) => words.test(message))?.[0] ?? 'other'
}

/** The node's answer to a transaction. */
export type Broadcast =
  /** The node has it. */
  | { readonly kind: 'sent' }
  /** The node did not take it, and said why; `message` is 300 characters at most. */
  | {
      readonly kind: 'refused'
      readonly why: Exclude<WhyRefused, 'known' | 'timed-out'>
      readonly message: string
    }

/**
 * Sends a signed transaction. Safe to repeat: the same bytes can be in a block once only.
 *
 * Rejects where the node gives no answer; then it may have been sent.
 */
export async function broadcast(rpc: Pick<JsonRpc, 'call'>, raw: string): Promise<Broadcast> {
  try {
    await rpc.call('eth_sendRawTransaction', [raw])
    return { kind: 'sent' }
  } catch (error) {
    if (error instanceof JsonRpcError) return readRefusal(error)
    throw error
  }
}

/** The state of a transaction by a node's refusal. A node that ran out of time may have it. */
export function readRefusal({ message }: JsonRpcError): Broadcast {
  const why = whyRefused(message)
  if (why === 'known' || why === 'timed-out') return { kind: 'sent' }
  return { kind: 'refused', why, message: message.slice(0, 300) }
}
