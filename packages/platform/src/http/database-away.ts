/** How Node names a connection that cannot be had. */
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
 * PostgreSQL's classes of trouble that pass: 08 connection, 53 resources, 57P operator intervention, and 57014, a
 * statement that took too long ("PostgreSQL Error Codes", appendix A of its manual).
 */
const PASSING_STATE = /^(?:08...|53...|57P..|57014)$/

/** What `pg` says without a code. */
const DRIVER_WORDS =
  /^(?:Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|Cannot use a pool after calling end|Client has encountered a connection error)/

/** Is this an error of a database that is away, or too slow to be of use? Asking again later makes sense then. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // Several addresses of one name, each refused.
  if (error instanceof AggregateError && error.errors.some(isDatabaseAway)) return true
  if ('code' in error && typeof error.code === 'string') {
    if (SOCKET_CODES.has(error.code) || PASSING_STATE.test(error.code)) return true
  }
  return DRIVER_WORDS.test(error.message) || isDatabaseAway(error.cause)
}
