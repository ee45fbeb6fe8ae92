import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { isAtOrBelow, isLocalHost, isPrivateHostName, refuseHost, refusePort } from './host-rules.ts'

/** The canonical form of a base URL, or the reason why no agent may have it. */
export type UrlVerdict =
  | {
      readonly ok: true
      readonly url: string
      /** Set when the call may go to a private network. */
      readonly isPrivate?: true
    }
  | { readonly ok: false; readonly reason: string }

/** The destination of a call, from a URL that passed the rules. */
export interface Target {
  /** Scheme, host and port, by which a request is routed: `https://agent.example:8443`. */
  readonly origin: string
  readonly secure: boolean
  /** Lower case, punycode, without a trailing dot and brackets. */
  readonly host: string
  readonly port: number
  /** The path and the query. */
  readonly path: string
  /**
   * Whether its addresses may be on a network that the operator opened for this call (D54): `may` leaves it to the
   * addresses, `only` marks a name that cannot be public.
   */
  readonly isPrivate: 'no' | 'may' | 'only'
}

/** The rules for the spelling of a URL. */
export interface UrlRules {
  /** The local mode of D37. */
  readonly localMode: boolean
  /** Names whose owners want no calls from the platform (SSRF-07). */
  readonly shunned?: readonly string[] | undefined
  /** Names on private networks that this call may reach, including subdomains (D54). */
  readonly privateHosts?: readonly string[] | undefined
}

type TargetVerdict =
  | { readonly ok: true; readonly target: Target }
  | { readonly ok: false; readonly reason: string }

const MAX_URL_CHARACTERS = 2_048

/**
 * Backslashes, and control, format and blank characters, which parsers handle differently: some drop them, some keep
 * them.
 */
const TREACHEROUS = /[\p{C}\p{Z}\\]/u

/** Requires two slashes and an authority: the URL standard would also accept `https:host` and `https:///host`. */
const WRITTEN_OUT = /^https?:\/\/([^/?#]+)/i

/**
 * The canonical form of an agent's base URL (REG-03), so that each agent has one spelling. Scheme and host are in lower
 * case and punycode; there is no `:443`, no dot after the host and no slash at the end; a path prefix is kept. The
 * result has plain characters only, and 2,048 at most because it is indexed. No connection is made.
 */
export function judgeBaseUrl(url: string, rules: UrlRules): UrlVerdict {
  const verdict = judgeTarget(url, rules)
  if (!verdict.ok) return verdict
  if (url.includes('?')) return refuse('url: must not have a query')
  const path = canonicalPath(verdict.target.path)
  if (path.includes('//')) return refuse('path: must not have an empty segment')
  if (/%(?:2F|5C|25|[01][0-9A-F]|7F)/.test(path))
    return refuse('path: must not hide a separator or a control')
  const canonical = verdict.target.origin + path
  // Escaping writes a character in up to nine, so a URL within the limit may exceed it after escaping.
  const tooLong = refuseLength(canonical, ' once its path is escaped')
  if (tooLong !== undefined) return refuse(tooLong)
  return { ok: true, url: canonical, ...(verdict.target.isPrivate !== 'no' && { isPrivate: true }) }
}

/** Whether the platform may call this URL, judged by its spelling alone (D37, SSRF-01), and its destination. */
export function judgeTarget(
  url: string,
  { localMode, shunned = [], privateHosts = [] }: UrlRules,
): TargetVerdict {
  const misspelt = refuseSpelling(url)
  if (misspelt !== undefined) return refuse(misspelt)
  if (!canParseUrl(url)) return refuse('url: is not a valid URL')
  const { protocol, hostname, port: writtenPort, pathname, search } = new URL(url)
  const secure = protocol === 'https:'
  const host = bareHost(hostname)
  const port = writtenPort === '' ? (secure ? 443 : 80) : Number(writtenPort)
  if (!secure && !(localMode && isLocalHost(host))) return refuse('scheme: must be https')
  const notPublic = refuseHost(host, localMode)
  const mayBePrivate = isPrivateHostName(host) && isAtOrBelow(host, privateHosts)
  const refused = (mayBePrivate ? undefined : notPublic) ?? refusePort(port)
  if (refused !== undefined) return refuse(refused)
  if (isAtOrBelow(host, shunned)) return refuse('host: its owner wants no calls from this platform')
  const authority = (host.includes(':') ? `[${host}]` : host) + (writtenPort === '' ? '' : `:${writtenPort}`)
  return {
    ok: true,
    target: {
      origin: `${protocol}//${authority}`,
      secure,
      host,
      port,
      path: pathname + search,
      isPrivate: !mayBePrivate ? 'no' : notPublic === undefined ? 'may' : 'only',
    },
  }
}

function refuseSpelling(url: string): string | undefined {
  const tooLong = refuseLength(url)
  if (tooLong !== undefined) return tooLong
  if (TREACHEROUS.test(url)) return 'url: must not have blanks, control characters or backslashes'
  const authority = WRITTEN_OUT.exec(url)?.[1]
  if (authority === undefined) return 'url: must be https:// and a host'
  if (authority.includes('@')) return 'url: must not have a user name or password'
  if (authority.includes('%')) return 'host: must be written without percent signs'
  return url.includes('#') ? 'url: must not have a fragment' : undefined
}

function refuseLength(url: string, when = ''): string | undefined {
  if (url.length <= MAX_URL_CHARACTERS) return undefined
  return `url: must have at most ${MAX_URL_CHARACTERS} characters${when}, got ${url.length}`
}

function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '')
}

/**
 * RFC 3986 §6.2.2: escapes in upper case, unreserved characters decoded; trailing slashes are removed.
 */
function canonicalPath(path: string): string {
  return path
    .replaceAll(/%[0-9a-f]{2}/gi, escape => {
      const character = String.fromCodePoint(Number.parseInt(escape.slice(1), 16))
      return /[\w.~-]/.test(character) ? character : escape.toUpperCase()
    })
    .replace(/\/+$/, '')
}

function refuse(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason }
}
