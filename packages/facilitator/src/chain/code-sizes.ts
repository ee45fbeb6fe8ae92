import type { JsonRpc } from '@farebox/payments/chain/json-rpc'

/** The size of each account's code, in bytes. Rejects when the node gives no answer. */
export type ReadCodeSizes = (accounts: readonly string[]) => Promise<readonly number[]>

/** Length of {@link program}'s instructions, in bytes. */
const PROGRAM_BYTES = 30
/** Length of {@link programWithCall}'s instructions, in bytes. */
const PROGRAM_WITH_CALL_BYTES = 86

/**
 * Creates the reader: one `eth_call` for all accounts, with a contract creation that is only simulated and whose returned
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

/** EVM code that replaces each word after it by the code size of that address, and returns the words. */
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

/**
 * Data of one `eth_call` that reads code sizes and calls a contract, all in one block. It is a contract creation too, so the
 * answer has at most 24,576 bytes, the limit of a contract's code. It reverts when the call reverts.
 */
export function encodeWithCodeSizes(
  accounts: readonly string[],
  { to, data }: { readonly to: string; readonly data: string },
): string {
  const words = accounts.map(account => account.slice(2).padStart(64, '0')).join('')
  return programWithCall(accounts.length, to, (data.length - 2) / 2) + words + data.slice(2)
}

/** Decodes the answer: the sizes, and the result of the contract call. Throws when the answer has another form. */
export function readCodeSizes(
  answer: unknown,
  count: number,
): { readonly sizes: readonly number[]; readonly answer: string } {
  if (typeof answer !== 'string' || !/^0x(?:[0-9a-f]{64})+$/i.test(answer) || answer.length < 2 + count * 64)
    throw new Error('the node answered no code sizes')
  const sizes = Array.from({ length: count }, (_, index) =>
    Number(`0x${answer.slice(2 + index * 64, 66 + index * 64)}`),
  )
  return { sizes, answer: `0x${answer.slice(2 + count * 64)}` }
}

/** Like {@link program}; then calls the contract with the bytes after the words and appends its answer to the sizes. */
function programWithCall(count: number, to: string, bytes: number): string {
  const push = (value: number): string => `62${value.toString(16).padStart(6, '0')}` // PUSH3
  const words = push(count * 32)
  return [
    '0x',
    `${push(count * 32 + bytes)}60${PROGRAM_WITH_CALL_BYTES.toString(16)}5f39`, // CODECOPY all of it to memory 0
    '5f', // i = 0
    '5b', // 0x09: the loop
    '80513b8152', // memory[i] = EXTCODESIZE(memory[i])
    '602001', // i += 32
    `${words}8110600957`, // while i < the words' length
    `5f5f${push(bytes)}${words}5f73${to.slice(2)}5af1`, // CALL with the bytes behind the words
    `3d5f${words}3e`, // RETURNDATACOPY behind the words
    `604d573d${words}fd`, // REVERT with it where the call was
    '5b', // 0x4d
    `${words}3d015ff3`, // return memory[0 … words + answer]
  ].join('')
}
