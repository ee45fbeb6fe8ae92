import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { hashSecret, readSecretId } from './secret-form.ts'
import type { SecretStore, StoredSecret } from './secret-store.ts'

/** Finds the secret behind an `Authorization` header; undefined where there is none that counts. */
export type Authenticate = (authorization: string | undefined) => Promise<StoredSecret | undefined>

/** A revocation, and a change of wallets, is felt by every process within this time (threats: 5 s). */
const KEPT_MS = 3_000
/** Bounds what strangers with well-formed but invented secrets can make us remember. */
const MAX_KEPT = 10_000

const BEARER = /^Bearer ([^\s]{1,200})$/i

/**
 * Makes the check of `Authorization: Bearer <FACILITATOR_SECRET>`: found by its public id, compared in
 * constant time.
 * The returned function rejects when the store does not answer.
 */
export function createAuthenticate(secrets: SecretStore, clock: Clock): Authenticate {
  const kept = new Map<
    string,
    { readonly untilMs: number; readonly stored: Promise<StoredSecret | undefined> }
  >()

  const find = (id: string): Promise<StoredSecret | undefined> => {
    const known = kept.get(id)
    if (known !== undefined && known.untilMs > clock.nowMs()) return known.stored
    const stored = secrets.find(id)
    const entry = { untilMs: clock.nowMs() + KEPT_MS, stored }
    kept.delete(id)
    kept.set(id, entry)
    const [oldest] = kept.keys()
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
    // A failed look-up is nobody's answer.
    stored.catch(() => {
      if (kept.get(id) === entry) kept.delete(id)
    })
    return stored
  }
  return async authorization => {
    const [, secret = ''] = BEARER.exec(authorization ?? '') ?? []
    const id = readSecretId(secret)
    if (id === undefined) return undefined
    const stored = await find(id)
    if (stored === undefined || stored.revokedAt !== null) return undefined
    // Both are SHA-256, so of one length.
    return timingSafeEqual(hashSecret(secret), stored.hash) ? stored : undefined
  }
}
