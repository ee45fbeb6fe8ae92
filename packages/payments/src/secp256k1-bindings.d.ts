// The native half of the package alone: its main entry silently falls back to a slow implementation.
declare module 'secp256k1/bindings.js' {
  const secp256k1: {
    ecdsaRecover(
      signature: Uint8Array,
      recoveryId: number,
      digest: Uint8Array,
      compressed: boolean,
    ): Uint8Array
    ecdsaSign(
      digest: Uint8Array,
      privateKey: Uint8Array,
    ): { readonly signature: Uint8Array; readonly recid: number }
    publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array
    privateKeyVerify(privateKey: Uint8Array): boolean
  }
  export default secp256k1
}

// The one hash we use, without the other twenty of the package's main entry.
declare module 'hash-wasm/dist/keccak.umd.min.js' {
  import type { createKeccak } from 'hash-wasm'
  const keccak: { readonly createKeccak: typeof createKeccak }
  export default keccak
}
