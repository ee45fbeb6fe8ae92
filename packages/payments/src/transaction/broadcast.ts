import { JsonRpcError, type JsonRpc } from '../chain/json-rpc.ts'

/**
 * Why a node did not accept a transaction: it has it already, it took too long, the nonce is used, the fees are too low to
 * replace another transaction with the same nonce, the account cannot pay for it, or another reason.
 */
export type WhyRefused = 'known' | 'timed-out' | 'nonce-used' | 'underpriced' | 'no-funds' | 'other'

/** Error texts that nodes have in common (geth's `txpool` errors). The first match counts. */
const WORDS: readonly (readonly [WhyRefused, RegExp])[] = [
  ['known', /already known|already imported|\bknown transaction/i],
  ['timed-out', /timeout|timed out/i],
  ['nonce-used', /nonce too low|nonce is too low/i],
  ['underpriced', /underpriced/i],
  ['no-funds', /insufficient funds/i],
]

/** The reason, from the error message of a node. */
export function whyRefused(message: string): WhyRefused {
  return WORDS.find(([, words]) => words.test(message))?.[0] ?? 'other'
}

/** The result of sending a transaction to a node. */
export type Broadcast =
  /** The node has it. */
  | { readonly kind: 'sent' }
  /** The node did not accept it; `message` has at most 300 characters. */
  | {
      readonly kind: 'refused'
      readonly why: Exclude<WhyRefused, 'known' | 'timed-out'>
      readonly message: string
    }

/**
 * Sends a signed transaction. Safe to repeat: the same bytes can be mined only once.
 *
 * Rejects when the node gives no answer; the transaction may have been sent.
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

/** Interprets a node's error. After a timeout on the node's side, the node may have the transaction. */
export function readRefusal({ message }: JsonRpcError): Broadcast {
  const why = whyRefused(message)
  if (why === 'known' || why === 'timed-out') return { kind: 'sent' }
  return { kind: 'refused', why, message: message.slice(0, 300) }
}
