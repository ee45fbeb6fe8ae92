import { makeSigningKey, type KeySet, type SigningKey } from '@farebox/platform-api/receipt-keys'
import type { Database } from '@farebox/server/internal/postgres/connect'
import type pg from 'pg'
import { writeAudit } from '../write-audit.ts'

/** An arbitrary constant that no other lock of the platform's database uses. */
const ADVISORY_LOCK = 4_020_501

const ACTIVE = 'select key_id, private_jwk from platform_keys where retired_at is null'

type PublicKey = KeySet['keys'][number]

interface KeyColumns {
  readonly key_id: string
  readonly private_jwk: SigningKey['privateJwk']
}

/**
 * Reads the key that currently signs receipts. The first call creates it; processes that start at the same time wait
 * for one another. Its private part is stored only in the database and returned only here.
 */
export async function readSigningKey(database: Database, nowMs: number): Promise<SigningKey> {
  return (await findActive(database)) ?? (await makeFirst(database, nowMs))
}

/**
 * Replaces the signing key by a new one. The private part of the old key is deleted; its public part remains published,
 * so that its receipts can always be verified. Writes a row to `audit_events`.
 */
export async function rotateSigningKey(database: Database, nowMs: number): Promise<SigningKey> {
  return await database.inTransaction(async client => {
    await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK])
    await client.query(
      'update platform_keys set private_jwk = null, retired_at = $1 where retired_at is null',
      [new Date(nowMs)],
    )
    const key = await insertKey(client, nowMs)
    const subject = `receipt key ${key.keyId}`
    await writeAudit(client, { atMs: nowMs, actor: 'operator', action: 'receipt-key-rotated', subject })
    return key
  })
}

/**
 * Revokes a key that others may have obtained, whether it is the current one or an old one: its signatures no longer
 * prove anything. If it was the current one, a new key replaces it. Its receipts are signed again when they are
 * requested. Writes a row to `audit_events`.
 *
 * @returns the id of the key that signs from now on; undefined when there is no key with this id
 */
export async function revokeKey(
  database: Database,
  keyId: string,
  nowMs: number,
): Promise<string | undefined> {
  return await database.inTransaction(async client => {
    await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK])
    const { rowCount } = await client.query(
      `update platform_keys set private_jwk = null, retired_at = coalesce(retired_at, $2),
         revoked_at = coalesce(revoked_at, $2) where key_id = $1`,
      [keyId, new Date(nowMs)],
    )
    if (rowCount === 0) return undefined
    const signing = await activeOrNew(client, nowMs)
    const subject = `receipt key ${keyId}`
    await writeAudit(client, { atMs: nowMs, actor: 'operator', action: 'receipt-key-revoked', subject })
    return signing.keyId
  })
}

/** Whether this key was revoked because others may have obtained it. */
export async function isRevoked(database: Database, keyId: string): Promise<boolean> {
  const rows = await database.query(
    'find-revoked-key',
    'select 1 from platform_keys where key_id = $1 and revoked_at is not null',
    [keyId],
  )
  return rows.length > 0
}

/** Every public key that ever signed receipts, the newest first; revoked ones are marked. */
export async function readKeySet(database: Database): Promise<KeySet> {
  const rows = await database.query<{ public_jwk: PublicKey; revoked_at: Date | null }>(
    'read-public-keys',
    'select public_jwk, revoked_at from platform_keys order by created_at desc, key_id',
  )
  return { keys: rows.map(row => withRevocation(row.public_jwk, row.revoked_at)) }
}

function withRevocation(key: PublicKey, at: Date | null): PublicKey {
  if (at === null) return key
  return { ...key, revoked: { revoked_at: Math.floor(at.getTime() / 1_000), reason: 'compromised' } }
}

async function findActive(database: Database): Promise<SigningKey | undefined> {
  const [row] = await database.query<KeyColumns>('read-signing-key', ACTIVE)
  return row && keyOf(row)
}

async function makeFirst(database: Database, nowMs: number): Promise<SigningKey> {
  return await database.inTransaction(async client => {
    await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK])
    return await activeOrNew(client, nowMs)
  })
}

async function activeOrNew(client: pg.PoolClient, nowMs: number): Promise<SigningKey> {
  const { rows } = await client.query<KeyColumns>(ACTIVE)
  const [row] = rows
  return row === undefined ? await insertKey(client, nowMs) : keyOf(row)
}

function keyOf({ key_id: keyId, private_jwk: privateJwk }: KeyColumns): SigningKey {
  return { keyId, privateJwk }
}

async function insertKey(client: pg.PoolClient, nowMs: number): Promise<SigningKey> {
  const { keyId, publicJwk, privateJwk } = await makeSigningKey()
  await client.query(
    'insert into platform_keys (key_id, public_jwk, private_jwk, created_at) values ($1, $2, $3, $4)',
    [keyId, JSON.stringify(publicJwk), JSON.stringify(privateJwk), new Date(nowMs)],
  )
  return { keyId, privateJwk }
}
