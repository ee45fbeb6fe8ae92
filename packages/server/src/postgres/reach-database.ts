import { sleep, type Clock } from '@farebox/protocol/time/clock'
import type { Log } from '../log.ts'
import { whyUnreachable } from '../program/why-unreachable.ts'

/** PostgreSQL's reasons for refusing a connection (its appendix A, error codes). */
const REFUSALS: { readonly [code: string]: string } = {
  '28P01': 'the user or the password was refused',
  '28000': 'the user was refused',
  '3D000': 'there is no such database',
  '25006': 'it is read-only, as a standby is and a primary that was demoted',
  '53300': 'it has no connection left',
  '57P03': 'it is starting up or shutting down',
}

/** The message without the right to connect; the code is that of any missing right. */
const NO_CONNECT = /^permission denied for database /

/** Temporary failures: a slow machine, or a server that is still starting or about to be promoted. */
const TEMPORARY = /^no answer in time|\((?:57P03|25006)\)$/
/** Shorter than the time that a launcher waits for this program, so that the reason can be reported here. */
const WAIT_MS = 120_000
const PAUSE_MS = 500

/**
 * Opens a database, with retries for two minutes while it is slow or starting, and names it in the error when it is
 * unreachable.
 *
 * @param open - connects to the connection string
 * @throws {Error} naming host, port and database, never user or password; other errors are passed on unchanged
 */
export async function reachDatabase<T>(
  connectionString: string,
  open: () => Promise<T>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<T> {
  const place = nameDatabase(connectionString)
  log.info('connecting to the database', { database: place })
  for (const sinceMs = clock.nowMs(); ; await sleep(clock, PAUSE_MS)) {
    try {
      return await open()
    } catch (cause) {
      const reason = whyUnreachable(cause) ?? whyRefused(cause)
      if (reason === undefined) throw cause
      if (!TEMPORARY.test(reason) || clock.nowMs() - sinceMs >= WAIT_MS)
        throw new Error(`cannot reach PostgreSQL at ${place}: ${reason}; start it or set DATABASE_URL`, {
          cause,
        })
      log.info('waiting for the database', { reason })
    }
  }
}

function whyRefused(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === '42501' && error instanceof Error && NO_CONNECT.test(error.message))
    return 'its role may not connect: run grant connect on the database to the role (42501)'
  return Object.hasOwn(REFUSALS, code) ? `${REFUSALS[code]} (${code})` : undefined
}

/** `127.0.0.1:5432 (database "ledger")` */
function nameDatabase(connectionString: string): string {
  const { hostname, port, pathname, searchParams } = new URL(connectionString)
  const host = searchParams.get('host') ?? (hostname || 'localhost')
  const database = decodeURIComponent(pathname.slice(1))
  const named = database === '' ? '' : ` (database ${JSON.stringify(database)})`
  return `${host}:${port || searchParams.get('port') || '5432'}${named}`
}
