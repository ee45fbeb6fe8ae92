// The native half of the package alone: its main entry silently falls back to a slow implementation.
declare module 'secp256k1/lib/index.js' {
  interface Secp256k1 {
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
  /** Checks what is given to a context of the addon. */
  const wrap: (context: object) => Secp256k1
  export default wrap
}

// Finds the addon that was built for this machine, and loads it.
declare module 'node-gyp-build' {
  const loadBuild: (folder: string) => { readonly Secp256k1: new () => object }
  export default loadBuild
}

// The one hash we use, without the other twenty of the package's main entry.
declare module 'hash-wasm/dist/keccak.umd.min.js' {
  import type { createKeccak } from 'hash-wasm'
  const keccak: { readonly createKeccak: typeof createKeccak }
  export default keccak
}
