import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '@farebox/protocol/time/clock'
import { hashSecret, readSecretId } from './secret-form.ts'
import type { SecretStore, StoredSecret } from './secret-store.ts'

/** Finds the secret of an `Authorization` header; undefined when the header has no valid one. */
export type Authenticate = (authorization: string | undefined) => Promise<StoredSecret | undefined>

/** A revocation, or a change of wallets, reaches every process within this time (threats: 5 s). */
const KEPT_MS = 3_000
/** Limits the memory that invented but well-formed secrets can use. */
const MAX_KEPT = 10_000

const MINUTE_MS = 60_000

/** The position of the public id in a secret: `fbx_<16 hex>_…`. */
const ID = [4, 20] as const

interface Kept {
  readonly untilMs: number
  readonly stored: Promise<StoredSecret | undefined>
  /** The secret that was last verified: the same secret is then compared without hashing it. */
  shown: Uint8Array | undefined
  /** The minute in which its use was last recorded, Unix seconds. */
  notedAt: number
}

const BEARER = /^Bearer ([^\s]{1,200})$/i

/**
 * Creates the check of `Authorization: Bearer <FACILITATOR_SECRET>`: the secret is found by its public id and compared in
 * constant time. Its use is recorded at most once a minute, without waiting for it. The returned function rejects when the
 * store does not answer.
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
    // A failed look-up must not be cached.
    stored.catch(() => {
      if (kept.get(id) === entry) kept.delete(id)
    })
    return entry
  }
  const noteUse = (entry: Kept, secret: StoredSecret | undefined): StoredSecret | undefined => {
    const minute = Math.floor(clock.nowMs() / MINUTE_MS) * (MINUTE_MS / 1_000)
    if (secret === undefined || minute <= Math.max(entry.notedAt, secret.lastUsedAt ?? 0)) return secret
    entry.notedAt = minute
    // The request does not wait for this write; if it fails, the next minute's use is recorded instead.
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
    // Both are SHA-256 hashes, so they have the same length.
    if (stored === undefined || !timingSafeEqual(hashSecret(secret), stored.hash)) return undefined
    entry.shown = shown
    return noteUse(entry, stored)
  }
}

/** Whether an `Authorization` header has a well-formed secret, which may still be unknown or revoked. */
export function hasSecretForm(authorization: string | undefined): boolean {
  const [, secret = ''] = BEARER.exec(authorization ?? '') ?? []
  return readSecretId(secret) !== undefined
}

/** Compares in constant time; only the length is revealed, which is the same for all secrets. */
function isSame(known: Uint8Array | undefined, shown: Uint8Array): boolean {
  return known !== undefined && known.length === shown.length && timingSafeEqual(known, shown)
}

function active(stored: StoredSecret | undefined): StoredSecret | undefined {
  return stored?.revokedAt === null ? stored : undefined
}
