// Why each direct dependency of the runtime, and of the two packages it is made of, is there. `npm run sizes` shows it,
// and refuses a dependency that nobody can explain.

/** @type {{ readonly [packageName: string]: { readonly [dependency: string]: string } }} */
export const WHY = {
  farebox: {
    '@farebox/payments': 'payment headers and signatures, the facilitator, proof by the chain',
    '@farebox/protocol': 'declarations, fields, jobs, errors: shared with callers and platform',
    'jsonc-parser': 'line and column of what is wrong in agent.json',
    lmdb: 'the default store: survives a power cut, shared by processes, no server',
  },
  '@farebox/payments': {
    '@bitauth/libauth': 'signatures in WebAssembly where no native module loads',
    '@farebox/protocol': 'the wire',
    'hash-wasm': 'keccak256, of every payment and address',
    secp256k1: "recovers a payment's signer natively, the costliest step of a paid job",
    undici: 'kept connections to the facilitator, at a fraction of the CPU time of fetch',
  },
  '@farebox/protocol': {
    re2js: "runs strangers' patterns in linear time, in browsers too",
  },
}
