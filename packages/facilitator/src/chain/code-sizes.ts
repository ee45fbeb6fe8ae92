import type { JsonRpc } from '@farebox/payments/chain/json-rpc'

/** The size of each account's code, in bytes. Rejects when the node gives no answer. */
export type ReadCodeSizes = (accounts: readonly string[]) => Promise<readonly number[]>

/** Length of {@link program}'s instructions, in bytes. */
const PROGRAM_BYTES = 30

/**
 * Makes the question, one `eth_call` for all accounts: a contract creation that is only tried, and whose
 * "code" is the list of sizes.
 */
export function createReadCodeSizes(rpc: JsonRpc): ReadCodeSizes {
  return async accounts => {
    const words = accounts.map(account => account.slice(2).padStart(64, '0')).join('')
    const answer = await rpc.call('eth_call', [{ data: program(accounts.length) + words }, 'latest'])
    if (typeof answer !== 'string' || answer.length !== 2 + accounts.length * 64)
      throw new Error('the node answered no code sizes')
    return accounts.map((_, index) => Number(`0x${answer.slice(2 + index * 64, 66 + index * 64)}`))
  }
}

/** EVM code that replaces each word behind it by the code size of that address, and returns them. */
function program(count: number): string {
  const length = `61${(count * 32).toString(16).padStart(4, '0')}` // PUSH2: the words' length in bytes
  return [
    '0x',
    `${length}60${PROGRAM_BYTES.toString(16)}5f39`, // CODECOPY the words to memory 0
    '5f', // i = 0
    '5b', // 0x08: the loop
    '80513b8152', // memory[i] = EXTCODESIZE(memory[i])
    '602001', // i += 32
    `${length}8110600857`, // while i < length
    `${length}5ff3`, // return memory[0 … length]
  ].join('')
}
