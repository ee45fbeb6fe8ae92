/** What a system or a library calls it, and how a person would. */
const REASONS: { readonly [code: string]: string } = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name of the host could not be looked up',
  EHOSTUNREACH: 'there is no route to this host',
  ENETUNREACH: 'there is no route to this network',
  ETIMEDOUT: 'no answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'no answer in time',
  TimeoutError: 'no answer in time',
  ENOENT: 'there is no such socket',
  EACCES: 'the system does not allow it',
}

/**
 * Why nothing was reached, as `connection refused (ECONNREFUSED)`; undefined for an error that is about something else.
 *
 * @param error as a socket, a pool or a database driver threw it, with its causes
 */
export function whyUnreachable(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  const reason = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined
  if (reason !== undefined) return `${reason} (${code})`
  // The driver's own time limit has no code.
  if (/^timeout expired$|connection timeout/i.test(error.message)) return 'no answer in time'
  const inner = error instanceof AggregateError ? [...error.errors, error.cause] : [error.cause]
  return inner.map(whyUnreachable).find(found => found !== undefined)
}
