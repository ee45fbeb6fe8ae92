import { createAuthorizationHasher, type AuthorizationHasher } from '@farebox/payments/authorization/eip-3009'
import { fromHex, toHex } from '@farebox/payments/src/crypto/bytes'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { bindNonce, NONCE_EXTENSION } from '@farebox/payments/authorization/nonce-binding'
import type { PaymentRecipe } from './recipe.ts'
import { NETWORK_ID, ORIGIN, WALLET } from '../run/fuzz-stage.ts'

/** A payment while it is being made: right until a spoil changes it. */
export interface PaymentDraft {
  version: 1 | 2
  readonly authorization: {
    from: string
    to: string
    value: string
    validAfter: string
    validBefore: string
    nonce: string
  }
  salt: string | undefined
  /** Which wallet signs, from 0; `from` says who is said to. */
  signer: number
  /** Whose domain is signed. */
  network: Network
}

/** Any object of a payment envelope: what a spoil breaks. */
export interface Envelope {
  [key: string]: unknown
}

/** Makes payments: the keys of some wallets, and the hashes of the chains. */
export interface PaymentMaker {
  readonly crypto: EvmCrypto
  /** Lower-case; the last of them has no money. */
  readonly wallets: readonly string[]
  draft(recipe: PaymentRecipe, terms: PaymentFor): PaymentDraft
  /** Signs the draft, and wraps it as its version says. */
  sign(draft: PaymentDraft, amount: string): Envelope
  /** Binds the nonce to a job. */
  bind(draft: PaymentDraft, named: NamedJob): void
}

/** What a payment is for. */
export interface PaymentFor {
  readonly amount: string
  readonly nowSeconds: number
  readonly job: NamedJob
}

export interface NamedJob {
  readonly endpoint: string
  readonly capability: string
  readonly jobId: string
}

export const EXECUTE_URL = `${ORIGIN}/execute`
/** Wallets of the fuzz: three with money, one without. */
const WALLETS = 4
/** Index of the wallet that the facilitator finds too poor. */
export const POOR = WALLETS - 1

/** The id of another job: a different one for each number from 1. */
export function otherJobId(jobId: string, number: number): string {
  const first = (Number.parseInt(jobId.slice(0, 8), 16) ^ number) >>> 0
  return first.toString(16).padStart(8, '0') + jobId.slice(8)
}

/** Loads the curve and makes the wallets. */
export async function createPaymentMaker(): Promise<PaymentMaker> {
  const crypto = await loadEvmCrypto()
  const home = networkOf(NETWORK_ID)
  const keys = Array.from({ length: WALLETS }, (_, wallet) =>
    Uint8Array.from({ length: 32 }, (__, index) => index + wallet + 1),
  )
  const wallets = keys.map(key => crypto.addressOf(key))
  const hashers = new Map<Network, AuthorizationHasher>()
  const hasherOf = (network: Network): AuthorizationHasher => {
    const hasher = hashers.get(network) ?? createAuthorizationHasher(crypto, network)
    hashers.set(network, hasher)
    return hasher
  }
  const bind: PaymentMaker['bind'] = (draft, named) => {
    draft.salt = `0x${draft.authorization.nonce.slice(-32)}`
    draft.authorization.nonce = bindNonce(crypto, named, fromHex(draft.salt))
  }
  return {
    crypto,
    wallets,
    draft(recipe, terms) {
      const draft: PaymentDraft = {
        version: recipe.version,
        authorization: {
          from: wallets[recipe.payer] ?? '',
          to: WALLET,
          value: terms.amount,
          validAfter: recipe.isAlwaysValid ? '0' : String(Math.floor(terms.nowSeconds) - 60),
          validBefore: String(Math.floor(terms.nowSeconds) + 3_700 + recipe.lastsSeconds),
          nonce: recipe.nonce,
        },
        salt: undefined,
        signer: recipe.payer,
        network: home,
      }
      if (recipe.bound) bind(draft, terms.job)
      return draft
    },
    bind,
    sign(draft, amount) {
      const { authorization, network, salt, version } = draft
      const key = keys[draft.signer] ?? new Uint8Array(32)
      const signature = toHex(crypto.sign(hasherOf(network).hashTransfer(authorization), key))
      const extensions = salt === undefined ? {} : { extensions: { [NONCE_EXTENSION]: { salt } } }
      const payload = { authorization: { ...authorization }, signature }
      if (version === 1)
        return { x402Version: 1, scheme: 'exact', network: NETWORK_ID, payload, ...extensions }
      const accepted = {
        scheme: 'exact',
        network: NETWORK_ID,
        asset: home.asset.address,
        amount,
        payTo: WALLET,
      }
      return { x402Version: 2, accepted, payload, ...extensions }
    },
  }
}

/** A network of the table that is not the agent's. */
export function otherNetwork(): Network {
  return networkOf('eip155:8453')
}

function networkOf(id: string): Network {
  const network = findNetwork(id)
  if (network === undefined) throw new Error(`${id} is not in the table`)
  return network
}
