import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '@farebox/protocol/time/clock'
import { hashSecret, readSecretId } from './secret-form.ts'
import type { SecretStore, StoredSecret } from './secret-store.ts'

/** Finds the secret behind an `Authorization` header; undefined where there is none that counts. */
export type Authenticate = (authorization: string | undefined) => Promise<StoredSecret | undefined>

/** A revocation, and a change of wallets, is felt by every process within this time (threats: 5 s). */
const KEPT_MS = 3_000
/** Bounds what strangers with well-formed but invented secrets can make us remember. */
const MAX_KEPT = 10_000

const MINUTE_MS = 60_000

/** The place of the public id in a secret: `fbx_<16 hex>_…`. */
const ID = [4, 20] as const

interface Kept {
  readonly untilMs: number
  readonly stored: Promise<StoredSecret | undefined>
  /** The secret that was shown and found good: shown again, it is compared without hashing it. */
  shown: Uint8Array | undefined
  /** The minute in which its use was last noted, Unix seconds. */
  notedAt: number
}

const BEARER = /^Bearer ([^\s]{1,200})$/i

/**
 * Makes the check of `Authorization: Bearer <FACILITATOR_SECRET>`: found by its public id, compared in
 * constant time. That it was used is noted, once a minute at most and without waiting for it.
 * The returned function rejects when the store does not answer.
 */
export function createAuthenticate(secrets: SecretStore, clock: Clock): Authenticate {
  const kept = new Map<string, Kept>()

  const find = (id: string): Kept => {
    const known = kept.get(id)
    if (known !== undefined && known.untilMs > clock.nowMs()) return known
    const stored = secrets.find(id)
    const entry: Kept = { untilMs: clock.nowMs() + KEPT_MS, stored, shown: undefined, notedAt: 0 }
    kept.delete(id)
    kept.set(id, entry)
    const [oldest] = kept.keys()
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
    // A failed look-up is nobody's answer.
    stored.catch(() => {
      if (kept.get(id) === entry) kept.delete(id)
    })
    return entry
  }
  const noteUse = (entry: Kept, secret: StoredSecret | undefined): StoredSecret | undefined => {
    const minute = Math.floor(clock.nowMs() / MINUTE_MS) * (MINUTE_MS / 1_000)
    if (secret === undefined || minute <= Math.max(entry.notedAt, secret.lastUsedAt ?? 0)) return secret
    entry.notedAt = minute
    // Nobody waits for it, and where it fails the next minute notes it.
    secrets.change(secret.id, { lastUsedAt: minute }).catch(() => undefined)
    return secret
  }
  return async authorization => {
    const [, secret = ''] = BEARER.exec(authorization ?? '') ?? []
    const known = kept.get(secret.slice(...ID))
    const shown = Buffer.from(secret)
    if (known !== undefined && known.untilMs > clock.nowMs() && isSame(known.shown, shown))
      return noteUse(known, active(await known.stored))
    const id = readSecretId(secret)
    if (id === undefined) return undefined
    const entry = find(id)
    const stored = active(await entry.stored)
    // Both are SHA-256, so of one length.
    if (stored === undefined || !timingSafeEqual(hashSecret(secret), stored.hash)) return undefined
    entry.shown = shown
    return noteUse(entry, stored)
  }
}

/** In constant time; only the length, which is the same for all secrets, shows. */
function isSame(known: Uint8Array | undefined, shown: Uint8Array): boolean {
  return known !== undefined && known.length === shown.length && timingSafeEqual(known, shown)
}

function active(stored: StoredSecret | undefined): StoredSecret | undefined {
  return stored?.revokedAt === null ? stored : undefined
}
