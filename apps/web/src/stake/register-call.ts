import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** Call data of `STAKE()`: what the registry takes for an agent, in wei. */
export const STAKE_QUESTION = `0x${selector('STAKE()')}`

/** Call data of `register(endpoint)`, made here: what is sent is what the page shows. */
export function encodeRegister(endpoint: string): string {
  const bytes = utf8ToBytes(endpoint)
  const padded = bytesToHex(bytes).padEnd(Math.ceil(bytes.length / WORD) * 2 * WORD, '0')
  return `0x${selector('register(string)')}${word(WORD)}${word(bytes.length)}${padded}`
}

const WORD = 32

function word(value: number): string {
  return value.toString(16).padStart(2 * WORD, '0')
}

function selector(signature: string): string {
  return bytesToHex(keccak_256(utf8ToBytes(signature)).subarray(0, 4))
}
