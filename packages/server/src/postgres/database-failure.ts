import pg from 'pg'

/** Error codes of Node for a connection that cannot be established or was lost. */
const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'ENOENT',
])

/**
 * PostgreSQL's error classes for temporary failures: 08 connection, 53 resources, 57P operator intervention, 57014, a
 * statement that exceeded its time limit, and 25006, a write on a primary that was demoted ("PostgreSQL Error Codes",
 * appendix A of its manual).
 */
const PASSING_STATE = /^(?:08...|53...|57P..|57014|25006)$/

/**
 * PostgreSQL's reasons for a statement that it did not carry out and whose transaction it rolled back: too many connections,
 * the server is stopping, was ended or is starting, and a write on a read-only server.
 */
const NOT_DONE_STATE = /^(?:53300|57P0[123]|25006)$/

/** Messages of `pg` for errors without a code. */
const DRIVER_WORDS =
  /^(?:Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|Cannot use a pool after calling end|Client has encountered a connection error|Client was closed)/

/** Whether an error means that the database is unreachable or too slow, so that a later retry makes sense. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // One host name with several addresses, each of which failed.
  if (error instanceof AggregateError && error.errors.some(isDatabaseAway)) return true
  if ('code' in error && typeof error.code === 'string') {
    if (SOCKET_CODES.has(error.code) || PASSING_STATE.test(error.code)) return true
  }
  return DRIVER_WORDS.test(error.message) || isDatabaseAway(error.cause)
}

/** No connection was available, so the statement was not sent. The message and the cause are those of the failure. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected'

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : 'no connection', { cause })
  }
}

/** A `commit` without a definite answer: the transaction may have taken place. */
export class UnknownCommit extends Error {
  override readonly name = 'UnknownCommit'

  constructor(cause: unknown) {
    super('it is not known whether the transaction took place', { cause })
  }
}

/**
 * Whether an error of a statement or transaction proves that it had no effect, so that it may be repeated. A connection that
 * broke in the middle proves nothing.
 */
export function provesNothingDone(error: unknown): boolean {
  if (error instanceof NotConnected) return isDatabaseAway(error.cause)
  if (error instanceof pg.DatabaseError) return NOT_DONE_STATE.test(error.code ?? '')
  // Reported before a query is sent, on an idle connection that broke.
  return error instanceof Error && /^Client .*is not queryable$/.test(error.message)
}
