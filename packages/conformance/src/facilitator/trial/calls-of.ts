import { readCall } from './abi.ts'
import type { WitnessedTransaction } from './witness.ts'

/** The selectors of `transferWithAuthorization`: with v, r, s, and with the signature as one byte string (EIP-3009). */
export const TRANSFERS = ['0xe3ee160e', '0xcf092995'] as const

/** The address of Multicall3 on every chain. */
export const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11'
export const BATCH_SETTLER = '0xb09b0D018a3e3b96e2749C877e68f17376970a4e'

/** `settle(token, gasEach, items)` of BatchSettler. */
const SETTLE = '0x1c8cbdc9'
/** Byte counts of its items: the offset of the kind, an item of kind 0, and the additional hash in an item of kind 1. */
const [KIND_AT, ITEM_BYTES, HASH_BYTES] = [20, 166, 32]
/** `aggregate3((target, allowFailure, callData)[])` of Multicall3. */
const AGGREGATE3 = '0x82ad56cb'

/** One call that a transaction makes. */
export interface ChainCall {
  readonly to: string
  readonly data: string
}

/** Returns the calls that a transaction makes; each call of a batch is listed separately. */
export function callsOf({ to, input }: Pick<WitnessedTransaction, 'to' | 'input'>): readonly ChainCall[] {
  const whole = { to: to ?? 'nowhere', data: input }
  if (isAt(to, BATCH_SETTLER)) {
    if (!input.startsWith(SETTLE)) return [whole]
    const call = readCall(input)
    // BatchSettler calls `transferWithAuthorization` of the given token, once for each item, and nothing else.
    const items = countItems(call.bytes(call.number(64)).slice(2))
    return Array.from({ length: items }, () => ({ to: addressIn(call.word(0)), data: TRANSFERS[0] }))
  }
  if (!isAt(to, MULTICALL3) || !input.startsWith(AGGREGATE3)) return [whole]
  const call = readCall(input)
  const list = call.number(0)
  const first = list + 32
  return Array.from({ length: call.number(list) }, (_, index) => {
    const one = first + call.number(first + 32 * index)
    return { to: addressIn(call.word(one)), data: call.bytes(one + call.number(one + 64)) }
  })
}

/** A truncated item is counted as well, although BatchSettler pays nothing in that case. */
function countItems(hex: string): number {
  let count = 0
  for (let at = 0; at < hex.length; count += 1) {
    const kind = hex.slice(at + KIND_AT * 2, at + KIND_AT * 2 + 2)
    at += (ITEM_BYTES + (kind === '01' ? HASH_BYTES : 0)) * 2
  }
  return count
}

function isAt(to: string | null, address: string): boolean {
  return to?.toLowerCase() === address.toLowerCase()
}

function addressIn(word: string): string {
  return `0x${word.slice(-40)}`
}
