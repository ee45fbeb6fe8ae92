import { readCall } from './abi.ts'
import type { SentTransaction } from './witness.ts'

/** `transferWithAuthorization`, with v, r, s and with the signature in one piece (EIP-3009). */
export const TRANSFERS = ['0xe3ee160e', '0xcf092995'] as const

/** Where Multicall3 and BatchSettler are on every chain. */
export const MULTICALL3_ADDRESS = '0xcA11bde05977b3631167028862bE2a173976CA11'
export const BATCH_SETTLER_ADDRESS = '0x1Ab676b5bc3B806044aBc494a3cfaFd48d82b2c7'

/** `settle(token, gasEach, items)` of BatchSettler. */
const SETTLE = '0x207e1fc5'
/** `aggregate3((target, allowFailure, callData)[])` of Multicall3. */
const AGGREGATE3 = '0x82ad56cb'

/** One call that a transaction makes. */
export interface ChainCall {
  readonly to: string
  readonly data: string
}

/** The calls a transaction makes, those within a batch each for itself. */
export function callsOf({ to, input }: Pick<SentTransaction, 'to' | 'input'>): readonly ChainCall[] {
  const whole = { to: to ?? 'nowhere', data: input }
  if (isAt(to, BATCH_SETTLER_ADDRESS)) {
    if (!input.startsWith(SETTLE)) return [whole]
    const call = readCall(input)
    // It calls `transferWithAuthorization` of the token it is given, once for each item, and nothing else.
    const items = call.number(call.number(64))
    return Array.from({ length: items }, () => ({ to: addressIn(call.word(0)), data: TRANSFERS[0] }))
  }
  if (!isAt(to, MULTICALL3_ADDRESS) || !input.startsWith(AGGREGATE3)) return [whole]
  const call = readCall(input)
  const list = call.number(0)
  const first = list + 32
  return Array.from({ length: call.number(list) }, (_, index) => {
    const one = first + call.number(first + 32 * index)
    return { to: addressIn(call.word(one)), data: call.bytes(one + call.number(one + 64)) }
  })
}

function isAt(to: string | null, address: string): boolean {
  return to?.toLowerCase() === address.toLowerCase()
}

function addressIn(word: string): string {
  return `0x${word.slice(-40)}`
}
