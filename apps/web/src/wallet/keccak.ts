import { keccak_256 } from '@noble/hashes/sha3.js'

/** The hash that signing a payment needs, in plain JavaScript, because the policy of the pages allows no WebAssembly. */
export const keccak = { keccak256: (bytes: Uint8Array): Uint8Array => keccak_256(bytes) } as const
