import { createAuthorizationHasher } from '@farebox/payments/authorization/eip-3009'
import { bindNonce, NONCE_EXTENSION } from '@farebox/payments/authorization/nonce-binding'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { fromHex, toHex } from '@farebox/payments/src/crypto/bytes'
import type { ExpectedRefusal } from '../oracle/expected-answer.ts'
import { NETWORK_ID, WALLET } from '../run/fuzz-stage.ts'
import { networkOf, type NamedJob, type PaymentDraft, type PaymentTerms } from './payment-spoils.ts'
import type { PaymentRecipe } from './recipe.ts'
import type { OpenObject } from './put-at.ts'

/** Creates payments: the keys of some wallets, and the hashes of the chains. */
export type PaymentMaker = Awaited<ReturnType<typeof createPaymentMaker>>

/** A payment in its headers, and its known properties. */
export interface MadePayment {
  readonly headers: readonly (readonly [string, string])[]
  /** Lower-case address. */
  readonly from: string
  /** The agent's key of the payment: chain, asset, payer, nonce (D6). */
  readonly key: string
  readonly refusals: readonly ExpectedRefusal[]
}

/** Wallets of the fuzz: three with money, one without. */
const WALLETS = 4
/** Index of the wallet whose balance the facilitator finds too low. */
export const POOR = WALLETS - 1

/** Loads the curve and creates the wallets. */
export async function createPaymentMaker() {
  const crypto = await loadEvmCrypto()
  const keys = Array.from({ length: WALLETS }, (_, wallet) =>
    Uint8Array.from({ length: 32 }, (__, index) => index + wallet + 1),
  )
  const wallets = keys.map(key => crypto.addressOf(key))
  const sign = ({ authorization, network, signer }: PaymentDraft): string => {
    const key = keys[signer]
    if (key === undefined) throw new RangeError(`no wallet ${signer}`)
    return toHex(crypto.sign(createAuthorizationHasher(crypto, network).hashTransfer(authorization), key))
  }
  const bind = (draft: PaymentDraft, named: NamedJob): void => {
    draft.salt = `0x${draft.authorization.nonce.slice(-32)}`
    draft.authorization.nonce = bindNonce(crypto, named, fromHex(draft.salt))
  }
  return {
    /** Lower-case addresses; the last one has no money. */
    wallets,
    /** A payment that is correct except for the faults that the recipe names. */
    make(recipe: PaymentRecipe, terms: PaymentTerms): MadePayment {
      const { spoils } = recipe
      const draft = draftOf(recipe, terms, wallets[recipe.payer] ?? '')
      if (recipe.bound) bind(draft, terms.job)
      for (const spoil of spoils) spoil.draft?.(draft, { ...terms, bind })
      const envelope = wrap(draft, sign(draft), terms.amount)
      for (const spoil of spoils) spoil.envelope?.(envelope)
      const { authorization, network } = draft
      return {
        headers: writeHeaders(JSON.stringify(envelope), recipe),
        from: authorization.from,
        key: `${network.chainId}:${network.asset.address}:${authorization.from}:${authorization.nonce}`,
        refusals: spoils.map(({ check }) => ({ check })),
      }
    },
  }
}

function draftOf(
  { version, nonce, payer }: PaymentRecipe,
  { amount, nowSeconds }: PaymentTerms,
  from: string,
): PaymentDraft {
  const now = Math.floor(nowSeconds)
  const times = { validAfter: String(now - 60), validBefore: String(now + 3_700) }
  const authorization = { from, to: WALLET, value: amount, ...times, nonce }
  return { version, authorization, salt: undefined, signer: payer, network: networkOf(NETWORK_ID) }
}

/** Wraps the signed authorization in the draft's version. */
function wrap({ authorization, salt, version }: PaymentDraft, signature: string, amount: string): OpenObject {
  const kind = { scheme: 'exact', network: NETWORK_ID }
  const { address: asset } = networkOf(NETWORK_ID).asset
  return {
    x402Version: version,
    ...(version === 1 ? kind : { accepted: { ...kind, asset, amount, payTo: WALLET } }),
    payload: { authorization: { ...authorization }, signature },
    ...(salt !== undefined && { extensions: { [NONCE_EXTENSION]: { salt } } }),
  }
}

function writeHeaders(json: string, { alias, spoils }: PaymentRecipe): MadePayment['headers'] {
  const header = spoils.find(({ encode }) => encode)?.encode?.(json) ?? btoa(json)
  const names = spoils.find(spoil => spoil.names)?.names ?? [alias ? 'x-payment' : 'payment-signature']
  return names.map(name => [name, header])
}
