// Only the native half of the package: its main entry silently falls back to a slow implementation.
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
  /** Validates the arguments of an addon's context. */
  const wrap: (context: object) => Secp256k1
  export default wrap
}

// Finds and loads the addon that was built for this machine.
declare module 'node-gyp-build' {
  const loadBuild: (folder: string) => { readonly Secp256k1: new () => object }
  export default loadBuild
}

// The one hash in use, without the twenty others of the package's main entry.
declare module 'hash-wasm/dist/keccak.umd.min.js' {
  import type { createKeccak } from 'hash-wasm'
  const keccak: { readonly createKeccak: typeof createKeccak }
  export default keccak
}
