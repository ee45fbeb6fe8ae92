import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import { z } from 'zod'

/** When a key was revoked, and why. The field has the name that OpenID Federation uses for historical keys. */
const revocation = z.looseObject({
  revoked_at: z.int().positive().describe('Unix seconds'),
  reason: z.string().optional(),
})

/** A public key in its published form: Ed25519. */
export const publicKey = z.looseObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
  revoked: revocation
    .optional()
    .describe('This key may have leaked: its signatures prove nothing, whatever time they state'),
})

/**
 * The answer of `GET /.well-known/jwks.json`: every key that has ever signed receipts.
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
        'The platform’s public URL, which is the `iss` of its receipts: these keys prove nothing for other ' +
          'issuers',
      ),
  })
  .describe('The public keys of receipts (RFC 7517); save it to check receipts without a network')

/** The type that {@link keySet} parses to. */
export type KeySet = z.infer<typeof keySet>

/** A signing key; `kid` identifies the public key that verifies its signatures. */
export interface SigningKey {
  readonly keyId: string
  /** Ed25519, including the private part. */
  readonly privateJwk: JWK
}

/** A new key, with the public form in which it is published. */
export interface MadeKey extends SigningKey {
  readonly publicJwk: KeySet['keys'][number]
}

/** Creates an Ed25519 key; its id is its thumbprint (RFC 7638). */
export async function makeSigningKey(): Promise<MadeKey> {
  const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const published = await exportJWK(pair.publicKey)
  const keyId = await calculateJwkThumbprint(published)
  const publicJwk = publicKey.parse({ ...published, kid: keyId, alg: 'EdDSA', use: 'sig' })
  return { keyId, privateJwk: await exportJWK(pair.privateKey), publicJwk }
}
