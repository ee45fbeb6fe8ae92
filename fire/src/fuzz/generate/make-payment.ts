import type { Random } from '../../simulator/seeded-random.ts'
import type { ExpectedRefusal } from '../oracle/expected-answer.ts'
import { POOR, type NamedJob, type PaymentMaker } from './payment-draft.ts'
import type { PaymentScene, PaymentSpoil } from './payment-spoil.ts'
import { PAYMENT_SPOILS } from './payment-spoils.ts'
import type { Recipe } from './recipe.ts'

/** A payment in its headers, and what is known of it. */
export interface MadePayment {
  readonly headers: readonly (readonly [string, string])[]
  /** Lower-case address. */
  readonly from: string
  readonly payer: number
  /** As the agent keys it: chain, asset, payer, nonce (D6). */
  readonly key: string
  /** Unix seconds. */
  readonly validBefore: number
  readonly refusals: readonly ExpectedRefusal[]
}

/** Makes the payment of a recipe; a payer other than the recipe's where one is given. */
export function makePayment(
  random: Random,
  recipe: NonNullable<Recipe['payment']>,
  terms: {
    readonly maker: PaymentMaker
    readonly nowSeconds: number
    readonly job: NamedJob
    readonly amount: string
    readonly payer?: number
  },
): MadePayment {
  const { maker, nowSeconds, job, amount } = terms
  const payer = terms.payer ?? (recipe.poor ? POOR : random.between(0, POOR - 1))
  const spoils = recipe.spoils.flatMap(name => PAYMENT_SPOILS[name] ?? [])
  const draft = maker.draft(random, { amount, nowSeconds, payer, job: recipe.bound ? job : undefined })
  const scene: PaymentScene = { random, maker, nowSeconds, job }
  for (const spoil of spoils) spoil.draft?.(draft, scene)
  const envelope = maker.sign(draft, amount)
  for (const spoil of spoils) spoil.envelope?.(envelope, scene)
  const { authorization, network } = draft
  return {
    headers: writeHeaders(JSON.stringify(envelope), spoils, scene, recipe.alias),
    from: authorization.from,
    payer,
    key: `${network.chainId}:${network.asset.address}:${authorization.from}:${authorization.nonce}`,
    validBefore: Number(authorization.validBefore),
    refusals: spoils.map(({ check }) => ({ check })),
  }
}

function writeHeaders(
  json: string,
  spoils: readonly PaymentSpoil[],
  scene: PaymentScene,
  alias: boolean,
): MadePayment['headers'] {
  const encode = spoils.find(spoil => spoil.encode)?.encode
  const padded = encode === undefined ? btoa(json) : encode(json, scene)
  // Padding is optional (D4).
  const header = encode === undefined && scene.random.chance(0.3) ? padded.replace(/=+$/, '') : padded
  const headers = spoils.find(spoil => spoil.headers)?.headers
  return headers === undefined ? [[alias ? 'x-payment' : 'payment-signature', header]] : headers(header)
}
