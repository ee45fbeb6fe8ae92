/** Descriptions of the error codes of systems and libraries. */
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
 * Why a connection failed, as `connection refused (ECONNREFUSED)`; undefined for an error of another kind.
 *
 * @param error as thrown by a socket, a pool or a database driver, with its causes
 */
export function whyUnreachable(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  const reason = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined
  if (reason !== undefined) return `${reason} (${code})`
  // The driver's own timeout has no code.
  if (/^timeout expired$|connection timeout/i.test(error.message)) return 'no answer in time'
  const inner = error instanceof AggregateError ? [...error.errors, error.cause] : [error.cause]
  return inner.map(whyUnreachable).find(found => found !== undefined)
}
