import { makeSigningKey, type KeySet, type SigningKey } from '@farebox/platform-api/receipt'
import type { Database } from '@farebox/server/postgres/connect'
import type pg from 'pg'
import { writeAudit } from '../owners/write-audit.ts'

/** Any constant will do, so long as nothing else of the platform's database is locked by it. */
const ADVISORY_LOCK = 4_020_501

interface KeyColumns {
  readonly key_id: string
  readonly private_jwk: SigningKey['privateJwk']
}

/**
 * The key that receipts are signed with now. The first call ever makes it; processes that start together wait for one
 * another. Its private part is in the database and in this answer, nowhere else.
 */
export async function readSigningKey(database: Database, nowMs: number): Promise<SigningKey> {
  return (await findActive(database)) ?? (await makeFirst(database, nowMs))
}

/**
 * Puts another key in place of the one that signs. The private part of the old one is forgotten; its public part stays
 * published, so that its receipts can be checked for good. Leaves a row in `audit_events`.
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

/** Every public key that receipts were ever signed with, the newest first. */
export async function readKeySet(database: Database): Promise<KeySet> {
  const rows = await database.query<{ public_jwk: KeySet['keys'][number] }>(
    'read-public-keys',
    'select public_jwk from platform_keys order by created_at desc, key_id',
  )
  return { keys: rows.map(row => row.public_jwk) }
}

async function findActive(database: Database): Promise<SigningKey | undefined> {
  const [row] = await database.query<KeyColumns>(
    'read-signing-key',
    'select key_id, private_jwk from platform_keys where retired_at is null',
  )
  return row && { keyId: row.key_id, privateJwk: row.private_jwk }
}

async function makeFirst(database: Database, nowMs: number): Promise<SigningKey> {
  return await database.inTransaction(async client => {
    await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK])
    const found = await client.query<KeyColumns>(
      'select key_id, private_jwk from platform_keys where retired_at is null',
    )
    const [row] = found.rows
    return row === undefined
      ? await insertKey(client, nowMs)
      : { keyId: row.key_id, privateJwk: row.private_jwk }
  })
}

async function insertKey(client: pg.PoolClient, nowMs: number): Promise<SigningKey> {
  const { keyId, publicJwk, privateJwk } = await makeSigningKey()
  await client.query(
    'insert into platform_keys (key_id, public_jwk, private_jwk, created_at) values ($1, $2, $3, $4)',
    [keyId, JSON.stringify(publicJwk), JSON.stringify(privateJwk), new Date(nowMs)],
  )
  return { keyId, privateJwk }
}
