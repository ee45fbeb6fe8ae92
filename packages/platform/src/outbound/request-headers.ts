/** What belongs to the connection and to the guard; a caller's value for them would change where or how we speak. */
const OURS: ReadonlySet<string> = new Set(
  (
    'host connection keep-alive proxy-connection proxy-authorization upgrade expect te trailer ' +
    'transfer-encoding content-length accept-encoding user-agent cookie'
  ).split(' '),
)

/** The headers that leave: the caller's without the guard's own, no compression asked for (D37), who we are. */
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
