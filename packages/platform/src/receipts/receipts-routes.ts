import { keySet } from '@farebox/platform-api/receipt-keys'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { publicReceiptsRoutes } from './public-receipts-routes.ts'
import { readKeySet, readSigningKey } from './platform-keys.ts'

/**
 * The routes for the keys that verify receipts, and for the public list of paid jobs. A receipt itself is returned by
 * its job's route.
 */
export function receiptsRoutes(parts: PlatformParts): readonly Route[] {
  const { database, clock, settings } = parts
  return [
    defineRoute({
      method: 'GET',
      path: '/.well-known/jwks.json',
      summary: 'The public keys that verify receipts; once saved, they work offline',
      access: 'public',
      answers: { 200: { description: 'Every key that ever signed, the newest first', schema: keySet } },
      async handle() {
        // Creates the signing key if there is none yet, so that a key set saved before the first receipt contains its
        // key.
        await readSigningKey(database, clock.nowMs())
        const body = { issuer: settings.publicUrl, ...(await readKeySet(database)) }
        return { body, headers: { 'cache-control': 'public, max-age=300' } }
      },
    }),
    ...publicReceiptsRoutes(parts),
  ]
}
