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
 * PostgreSQL's error classes for temporary failures: 08 connection, 53 resources, 57P operator intervention, and 57014, a
 * statement that exceeded its time limit ("PostgreSQL Error Codes", appendix A of its manual).
 */
const PASSING_STATE = /^(?:08...|53...|57P..|57014)$/

/** Messages of `pg` for errors without a code. */
const DRIVER_WORDS =
  /^(?:Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|Cannot use a pool after calling end|Client has encountered a connection error)/

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
