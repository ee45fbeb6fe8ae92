import { printable } from '../../printable.ts'

const WORDS: { readonly [code: string]: string } = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of its host cannot be looked up now',
  EHOSTUNREACH: 'there is no route to its host',
  ENETUNREACH: 'there is no route to its network',
  ETIMEDOUT: 'the connection was not made in time',
  UND_ERR_CONNECT_TIMEOUT: 'the connection was not made in time',
  ECONNRESET: 'the connection was cut before an answer came',
  UND_ERR_SOCKET: 'the connection was closed before an answer came',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS: http, where https is asked for?',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is self-signed',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate does not lead to a root that is trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate does not lead to a root that is trusted',
}

/** Describes why a server could not be reached, from the error of `fetch`; safe to show. */
export function whyUnreachable(error: unknown): string {
  const code = errorCode(error)
  if (code.startsWith('HPE_')) return `what answers does not speak HTTP (${code})`
  // In Node 24 this error has no code.
  if (innermostError(error)?.name === 'HTTPParserError') return 'what answers does not speak HTTP'
  const words = Object.hasOwn(WORDS, code) ? WORDS[code] : undefined
  if (words !== undefined) return `${words} (${code})`
  return printable(innermost(error).slice(0, 200))
}

/** The code of the innermost cause, such as `ECONNREFUSED`; empty when there is none. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if (error.cause !== undefined) return errorCode(error.cause)
  if ('code' in error && typeof error.code === 'string') return error.code
  return error instanceof AggregateError ? errorCode((error.errors as readonly unknown[])[0]) : ''
}

function innermost(error: unknown): string {
  return innermostError(error)?.message ?? String(error)
}

function innermostError(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined
  return error.cause instanceof Error ? innermostError(error.cause) : error
}
