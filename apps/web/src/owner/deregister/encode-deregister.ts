import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** The call of AgentRegistry that ends a registration and sends its owner the stake: `deregister(agentId)`. */
export function encodeDeregister(agentId: number): string {
  const selector = bytesToHex(keccak_256(utf8ToBytes('deregister(uint256)')).subarray(0, 4))
  return `0x${selector}${agentId.toString(16).padStart(64, '0')}`
}
