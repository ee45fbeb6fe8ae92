import type { ExpectedRefusal } from '../oracle/expected-answer.ts'
import type { NamedJob, PaymentMaker } from './payment-draft.ts'
import type { PaymentScene, PaymentSpoil } from './payment-spoil.ts'
import { PAYMENT_SPOILS } from './payment-spoils.ts'
import type { PaymentRecipe } from './recipe.ts'

/** A payment in its headers, and what is known of it. */
export interface MadePayment {
  readonly headers: readonly (readonly [string, string])[]
  /** Lower-case address. */
  readonly from: string
  /** As the agent keys it: chain, asset, payer, nonce (D6). */
  readonly key: string
  /** Unix seconds. */
  readonly validBefore: number
  readonly refusals: readonly ExpectedRefusal[]
}

/** Makes the payment of a recipe. */
export function makePayment(
  recipe: PaymentRecipe,
  terms: {
    readonly maker: PaymentMaker
    readonly nowSeconds: number
    readonly job: NamedJob
    readonly amount: string
  },
): MadePayment {
  const { maker, nowSeconds, job, amount } = terms
  const spoils = recipe.spoils.flatMap(({ name, pick }) => {
    const spoil = PAYMENT_SPOILS[name]
    return spoil === undefined ? [] : [{ spoil, scene: { pick, maker, nowSeconds, job } }]
  })
  const draft = maker.draft(recipe, { amount, nowSeconds, job })
  for (const { spoil, scene } of spoils) spoil.draft?.(draft, scene)
  const envelope = maker.sign(draft, amount)
  for (const { spoil, scene } of spoils) spoil.envelope?.(envelope, scene)
  const { authorization, network } = draft
  return {
    headers: writeHeaders(JSON.stringify(envelope), spoils, recipe),
    from: authorization.from,
    key: `${network.chainId}:${network.asset.address}:${authorization.from}:${authorization.nonce}`,
    validBefore: Number(authorization.validBefore),
    refusals: spoils.map(({ spoil }) => ({ check: spoil.check })),
  }
}

function writeHeaders(
  json: string,
  spoils: readonly { readonly spoil: PaymentSpoil; readonly scene: PaymentScene }[],
  recipe: PaymentRecipe,
): MadePayment['headers'] {
  const encoder = spoils.find(({ spoil }) => spoil.encode)
  // Padding is optional (D4).
  const plain = recipe.isPadded ? btoa(json) : btoa(json).replace(/=+$/, '')
  const header = encoder?.spoil.encode?.(json, encoder.scene) ?? plain
  const headers = spoils.find(({ spoil }) => spoil.headers)?.spoil.headers
  return headers === undefined
    ? [[recipe.alias ? 'x-payment' : 'payment-signature', header]]
    : headers(header)
}
