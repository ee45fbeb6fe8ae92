import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Database } from '@farebox/server/internal/postgres/connect'
import type pg from 'pg'

/** The maximum lifetime of a session, regardless of its use. */
export const SESSION_MS = 24 * 3_600_000
/** The time after which an unused session ends. */
export const SESSION_IDLE_MS = 2 * 3_600_000
/** The maximum number of sessions of one address; the oldest is deleted when a new one exceeds it. */
const MAX_SESSIONS = 20

/** A new use is recorded only when the recorded one is this old, so that most requests do not write. */
const USE_GRAIN_MS = 60_000

/** The prefix distinguishes session tokens from the operator's token and lets scanners for leaked secrets find them. */
const TOKEN = /^fbs_[A-Za-z0-9_-]{43}$/

/** The session of an owner who signed in with Ethereum. */
export interface Session {
  readonly sessionId: string
  /** Lower case. */
  readonly address: string
  readonly createdAtMs: number
  readonly usedAtMs: number
  readonly expiresAtMs: number
  /** The session of the terminal that began this browser's session; undefined when the owner's wallet signed. */
  readonly begunBy: string | undefined
}

/** A session that has just begun. Its token is not stored. */
export interface NewSession extends Session {
  readonly token: string
}

/**
 * Begins a session for an authenticated address. Its token has 256 random bits, of which only the hash is stored.
 *
 * @param instead - a session that is deleted when this one begins, so that each sign-in has an id of its own
 */
export async function beginSession(
  database: Database,
  address: string,
  nowMs: number,
  instead?: string,
): Promise<NewSession> {
  return await database.inTransaction(async client => {
    if (instead !== undefined) await client.query('delete from sessions where session_id = $1', [instead])
    return await insertSession(client, address, nowMs)
  })
}

/**
 * Inserts a session for an address in the caller's transaction.
 *
 * @param begunBy - the session of the terminal that began this one; the new session does not outlast it and ends with
 * it
 */
export async function insertSession(
  client: pg.PoolClient,
  address: string,
  nowMs: number,
  begunBy?: { readonly sessionId: string; readonly expiresAtMs: number },
): Promise<NewSession> {
  const token = `fbs_${randomBytes(32).toString('base64url')}`
  const session = {
    sessionId: randomUUID(),
    address,
    createdAtMs: nowMs,
    usedAtMs: nowMs,
    expiresAtMs: begunBy?.expiresAtMs ?? nowMs + SESSION_MS,
    begunBy: begunBy?.sessionId,
  }
  await client.query(
    `insert into sessions (session_id, token_hash, address, created_at, used_at, expires_at, begun_by)
     values ($1, $2, $3, $4, $4, $5, $6)`,
    [
      session.sessionId,
      hashToken(token),
      address,
      new Date(nowMs),
      new Date(session.expiresAtMs),
      session.begunBy ?? null,
    ],
  )
  await client.query(
    `delete from sessions where session_id in (
       select session_id from sessions where address = $1 and session_id is distinct from $3
       order by created_at desc, session_id offset $2)`,
    [address, MAX_SESSIONS, session.begunBy ?? null],
  )
  return { ...session, token }
}

/**
 * Finds the live session of a token; undefined when the token is unknown or revoked, or its session has expired or was
 * idle too long.
 */
export async function findSession(
  database: Database,
  token: string,
  nowMs: number,
): Promise<Session | undefined> {
  if (!TOKEN.test(token)) return undefined
  const hash = hashToken(token)
  const [row] = await database.query<SessionRow>(
    'find-session',
    `select ${COLUMNS} from sessions where token_hash = $1 and expires_at > $2 and used_at > $3`,
    [hash, new Date(nowMs), new Date(nowMs - SESSION_IDLE_MS)],
  )
  if (row === undefined) return undefined
  if (row.used_at.getTime() <= nowMs - USE_GRAIN_MS) {
    // The use of a browser's session also counts as a use of the terminal's session that began it, so that neither ends
    // as idle while the other is used.
    await database.query(
      'use-session',
      'update sessions set used_at = $2 where session_id = $1 or session_id = $3',
      [row.session_id, new Date(nowMs), row.begun_by],
    )
  }
  return readSession(row)
}

/** The live sessions of an address, newest first. */
export async function listSessions(
  database: Database,
  address: string,
  nowMs: number,
): Promise<readonly Session[]> {
  const rows = await database.query<SessionRow>(
    'list-sessions',
    `select ${COLUMNS} from sessions where address = $1 and expires_at > $2 and used_at > $3
     order by created_at desc, session_id`,
    [address, new Date(nowMs), new Date(nowMs - SESSION_IDLE_MS)],
  )
  return rows.map(readSession)
}

/** Ends a session of this address at once, in every process. Resolves to false when the address has no such session. */
export async function endSession(database: Database, address: string, sessionId: string): Promise<boolean> {
  const ended = await database.query(
    'end-session',
    'delete from sessions where session_id = $1 and address = $2 returning session_id',
    [sessionId, address],
  )
  return ended.length > 0
}

interface SessionRow {
  readonly session_id: string
  readonly address: string
  readonly created_at: Date
  readonly used_at: Date
  readonly expires_at: Date
  readonly begun_by: string | null
}

const COLUMNS = 'session_id, address, created_at, used_at, expires_at, begun_by'

function readSession(row: SessionRow): Session {
  return {
    sessionId: row.session_id,
    address: row.address,
    createdAtMs: row.created_at.getTime(),
    usedAtMs: row.used_at.getTime(),
    expiresAtMs: row.expires_at.getTime(),
    begunBy: row.begun_by ?? undefined,
  }
}

/** SHA-256 is sufficient: a token of 256 random bits cannot be guessed, so no slow hash is needed. */
function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
