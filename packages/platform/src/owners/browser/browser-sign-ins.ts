import { createHash, randomBytes, randomInt } from 'node:crypto'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { Refusal } from '../../http/refusal.ts'
import { insertSession, type NewSession } from '../sessions.ts'

/** The time from the creation of the link until the browser must be signed in. */
export const BROWSER_SIGN_IN_MS = 120_000
/** How many codes may be typed for one link. */
const TRIES = 3

/** Without characters that look alike: 0 and O, 1 and I. */
const CODE_CHARACTERS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const CODE_LENGTH = 6

const RANDOM_ID = /^[A-Za-z0-9_-]{43}$/

/** A sign-in, as the browser that opened its link sees it. */
export interface OpenedSignIn {
  /** The lower-case address that the browser will be signed in as. */
  readonly address: string
  /** Six characters. */
  readonly code: string
  readonly expiresAtMs: number
  /** A random id that binds the sign-in to the browser that opened the link first; only that browser has it. */
  readonly browser: string
}

/**
 * Creates the link with which a session signs a browser in; the previous link of the session becomes void.
 *
 * @returns the random id in the link: 256 bits, of which only the hash is stored
 * @throws {Refusal} `forbidden` when this session was itself begun by another one; only that one may create links
 */
export async function offerSignIn(
  database: Database,
  sessionId: string,
  nowMs: number,
): Promise<{ readonly linkId: string; readonly expiresAtMs: number }> {
  const linkId = randomId()
  const expiresAtMs = nowMs + BROWSER_SIGN_IN_MS
  const offered = await database.query(
    'offer-browser-sign-in',
    `insert into browser_sign_ins (session_id, link_hash, code, tries_left, expires_at)
     select session_id, $2, $3, ${TRIES}, $4 from sessions where session_id = $1 and begun_by is null
     on conflict (session_id) do update set link_hash = excluded.link_hash, browser_hash = null, code = excluded.code,
       tries_left = excluded.tries_left, is_confirmed = false, expires_at = excluded.expires_at
     returning 1`,
    [sessionId, hash(linkId), makeCode(), new Date(expiresAtMs)],
  )
  if (offered.length === 0)
    throw new Refusal(
      'forbidden',
      'this session was begun from a terminal: sign other browsers in from there',
    )
  return { linkId, expiresAtMs }
}

/**
 * Opens a link for the first browser that asks; a repeated request of the same browser gets the same code.
 *
 * @param linkId - the id in the link; undefined when the browser has opened the link before and sends its cookie
 * @param browser - the browser's cookie, if any
 * @throws {Refusal} `not_found` when the link is unknown, used or expired; `conflict` when another browser opened it
 */
export async function openSignIn(
  database: Database,
  { linkId, browser }: { readonly linkId?: string | undefined; readonly browser?: string | undefined },
  nowMs: number,
): Promise<OpenedSignIn> {
  const known = browser === undefined ? undefined : await findOpened(database, browser, nowMs)
  if (known !== undefined && (linkId === undefined || known.linkHash.equals(hash(linkId)))) return known
  if (linkId === undefined) throw gone()
  const mine = randomId()
  const [opened] = await database.query<OpenedRow>(
    'open-browser-sign-in',
    `update browser_sign_ins set browser_hash = $2 from sessions
     where sessions.session_id = browser_sign_ins.session_id
       and link_hash = $1 and browser_hash is null and browser_sign_ins.expires_at > $3
     returning ${OPENED}`,
    [hash(linkId), hash(mine), new Date(nowMs)],
  )
  if (opened !== undefined) return readOpened(opened, mine)
  const [taken] = await database.query(
    'find-browser-sign-in',
    'select 1 from browser_sign_ins where link_hash = $1 and expires_at > $2',
    [hash(linkId), new Date(nowMs)],
  )
  if (taken === undefined) throw gone()
  throw new Refusal('conflict', 'link_id: another browser opened this link first; make a new one')
}

/**
 * Confirms a sign-in with the code that the user read in the browser. A wrong code uses up one of three tries.
 *
 * @throws {Refusal} `not_found` when there is no valid link, `conflict` when no browser has opened it, `forbidden` when
 * the code is wrong
 */
export async function confirmSignIn(
  database: Database,
  sessionId: string,
  code: string,
  nowMs: number,
): Promise<void> {
  const live = 'session_id = $1 and expires_at > $2 and tries_left > 0 and not is_confirmed'
  const [tried] = await database.query<{ is_confirmed: boolean; tries_left: number }>(
    'confirm-browser-sign-in',
    `update browser_sign_ins set is_confirmed = (code = $3), tries_left = tries_left - 1
     where ${live} and browser_hash is not null returning is_confirmed, tries_left`,
    [sessionId, new Date(nowMs), code],
  )
  if (tried?.is_confirmed === true) return
  if (tried !== undefined)
    throw new Refusal('forbidden', `code: is wrong; ${describeTries(tried.tries_left)}`)
  const [unopened] = await database.query(
    'find-unopened-browser-sign-in',
    `select 1 from browser_sign_ins where ${live}`,
    [sessionId, new Date(nowMs)],
  )
  if (unopened === undefined) throw gone()
  throw new Refusal('conflict', 'code: no browser has opened the link yet')
}

/**
 * Begins the session of the browser whose code was confirmed, once. It expires no later than the session of the
 * terminal, and ends together with it.
 *
 * @returns undefined while the code has not been typed yet
 * @throws {Refusal} `not_found` when the sign-in no longer exists
 */
export async function claimSignIn(
  database: Database,
  browser: string,
  nowMs: number,
): Promise<NewSession | undefined> {
  const begun = await database.inTransaction(async client => {
    // This transaction and a logout of the terminal both lock the terminal's session first, so either the logout waits
    // or this query finds no session.
    const confirmed = await client.query<{ session_id: string; address: string; expires_at: Date }>(
      `select session_id, address, sessions.expires_at from sessions join browser_sign_ins using (session_id)
       where browser_hash = $1 and is_confirmed and browser_sign_ins.expires_at > $2 and sessions.expires_at > $2
       for no key update of sessions`,
      [hash(browser), new Date(nowMs)],
    )
    const [terminal] = confirmed.rows
    if (terminal === undefined) return undefined
    const { session_id: sessionId, address, expires_at: expiresAt } = terminal
    const claimed = await client.query(
      'delete from browser_sign_ins where session_id = $1 and browser_hash = $2 and is_confirmed',
      [sessionId, hash(browser)],
    )
    // Another claim of the same browser came first.
    if (claimed.rowCount !== 1) return undefined
    return await insertSession(client, address, nowMs, { sessionId, expiresAtMs: expiresAt.getTime() })
  })
  if (begun === undefined && (await findOpened(database, browser, nowMs)) === undefined) throw gone()
  return begun
}

interface OpenedRow {
  readonly address: string
  readonly code: string
  readonly link_hash: Buffer
  readonly expires_at: Date
}

const OPENED = 'sessions.address, code, link_hash, browser_sign_ins.expires_at'

async function findOpened(
  database: Database,
  browser: string,
  nowMs: number,
): Promise<(OpenedSignIn & { readonly linkHash: Buffer }) | undefined> {
  if (!RANDOM_ID.test(browser)) return undefined
  const [row] = await database.query<OpenedRow>(
    'find-opened-browser-sign-in',
    `select ${OPENED} from browser_sign_ins join sessions using (session_id)
     where browser_hash = $1 and browser_sign_ins.expires_at > $2 and (tries_left > 0 or is_confirmed)`,
    [hash(browser), new Date(nowMs)],
  )
  return row === undefined ? undefined : { ...readOpened(row, browser), linkHash: row.link_hash }
}

function readOpened(row: OpenedRow, browser: string): OpenedSignIn {
  return { address: row.address, code: row.code, expiresAtMs: row.expires_at.getTime(), browser }
}

function describeTries(left: number): string {
  if (left === 0) return 'the link is void now; make a new one'
  return left === 1 ? '1 try left' : `${left} tries left`
}

function gone(): Refusal {
  return new Refusal('not_found', 'the link is unknown, was used, or is too old; make a new one')
}

function randomId(): string {
  return randomBytes(32).toString('base64url')
}

function makeCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => CODE_CHARACTERS[randomInt(CODE_CHARACTERS.length)]).join(
    '',
  )
}

function hash(id: string): Buffer {
  return createHash('sha256').update(id).digest()
}
