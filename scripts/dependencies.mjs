// The reason for each direct dependency of the runtime, and of the two packages it is built from. `npm run sizes` shows
// it, and refuses a dependency without a reason.

const OF_PAYMENTS = {
  '@bitauth/libauth': 'signatures in WebAssembly where no native module loads',
  '@farebox/protocol': 'the wire',
  'hash-wasm': 'keccak256, of every payment and address',
  'node-gyp-build': 'finds the native module of secp256k1, which needs it anyway',
  secp256k1: "recovers a payment's signer natively, the costliest step of a paid job",
  undici: 'kept connections to the facilitator, at a fraction of the CPU time of fetch',
}

const OF_PROTOCOL = {
  re2js: "runs strangers' patterns in linear time, in browsers too",
}

/** @type {{ readonly [packageName: string]: { readonly [dependency: string]: string } }} */
export const WHY = {
  farebox: {
    // Its bundle includes the code of these two packages and loads their dependencies itself; their types are still
    // separate.
    ...OF_PAYMENTS,
    ...OF_PROTOCOL,
    '@farebox/contracts': 'encodes what handlers spend by permission, and names why it was refused',
    '@farebox/payments': 'payment headers and signatures, the facilitator, proof by the chain',
    '@farebox/protocol': 'declarations, fields, jobs, errors: shared with callers and platform',
    'jsonc-parser': 'line and column of what is wrong in agent.json',
    lmdb: 'the default store: survives a power cut, shared by processes, no server',
  },
  '@farebox/payments': OF_PAYMENTS,
  '@farebox/protocol': OF_PROTOCOL,
}
