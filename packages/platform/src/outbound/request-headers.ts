/**
 * Headers that belong to the connection and the guard. A caller's values would change where or how the request is sent.
 */
const OURS: ReadonlySet<string> = new Set(
  (
    'host connection keep-alive proxy-connection proxy-authorization upgrade expect te trailer ' +
    'transfer-encoding content-length accept-encoding user-agent cookie'
  ).split(' '),
)

/** The headers of the request: the caller's without those of the guard, no compression (D37), and the user agent. */
export function requestHeaders(
  given: { readonly [name: string]: string },
  userAgent: string,
): { readonly [name: string]: string } {
  const entries = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value] as const)
  return {
    ...Object.fromEntries(entries.filter(([name]) => !OURS.has(name))),
    'accept-encoding': 'identity',
    'user-agent': userAgent,
  }
}
