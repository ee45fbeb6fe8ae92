/** The network that the payments are made for: Base Sepolia. */
export const NETWORK_ID = 'eip155:84532'

/** Verify all payments so many times. */
export interface VerifyQuestion {
  readonly curve: 'native' | 'wasm'
  readonly times: number
}

/** `msEach` is CPU time of one payment. */
export type VerifyAnswer = { readonly kind: 'ready' } | { readonly kind: 'measured'; readonly msEach: number }
