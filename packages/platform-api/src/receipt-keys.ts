import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import { z } from 'zod'

/** Since when a key counts no more, and why: the member that OpenID Federation gives its historical keys. */
const revocation = z.looseObject({
  revoked_at: z.int().positive().describe('Unix seconds'),
  reason: z.string().optional(),
})

/** A public key as it is published: Ed25519. */
export const publicKey = z.looseObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
  revoked: revocation
    .optional()
    .describe('Others may have had this key: what it signed proves nothing, whenever it says that it was'),
})

/**
 * The answer of `GET /.well-known/jwks.json`: every key that receipts were ever signed with.
 *
 * @example
 * ```ts
 * import { keySet } from '@farebox/platform-api/receipt-keys'
 *
 * const answer = await fetch('https://platform.example/.well-known/jwks.json')
 * const { keys } = keySet.parse(await answer.json())
 * console.log(keys.map(({ kid, revoked }) => (revoked === undefined ? kid : `${kid}, revoked`)))
 * ```
 */
export const keySet = z
  .looseObject({
    keys: z.array(publicKey),
    issuer: z
      .string()
      .optional()
      .describe(
        "The platform's public URL, which its receipts have as `iss`: others prove nothing by these keys",
      ),
  })
  .describe('The public keys of receipts (RFC 7517); save it to check receipts without a network')

/** {@link keySet}, as it travels. */
export type KeySet = z.infer<typeof keySet>

/** A key that signs: `kid` says which public key checks it. */
export interface SigningKey {
  readonly keyId: string
  /** Ed25519, with its private part. */
  readonly privateJwk: JWK
}

/** A new key, and the form in which it is published. */
export interface MadeKey extends SigningKey {
  readonly publicJwk: KeySet['keys'][number]
}

/** Makes an Ed25519 key; its id is its thumbprint (RFC 7638). */
export async function makeSigningKey(): Promise<MadeKey> {
  const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const published = await exportJWK(pair.publicKey)
  const keyId = await calculateJwkThumbprint(published)
  const publicJwk = publicKey.parse({ ...published, kid: keyId, alg: 'EdDSA', use: 'sig' })
  return { keyId, privateJwk: await exportJWK(pair.privateKey), publicJwk }
}
