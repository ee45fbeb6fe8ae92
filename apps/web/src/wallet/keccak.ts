import { keccak_256 } from '@noble/hashes/sha3.js'

/** What signing a payment needs to hash, in plain JavaScript: the policy of the pages allows no WebAssembly. */
export const keccak = { keccak256: (bytes: Uint8Array): Uint8Array => keccak_256(bytes) } as const
