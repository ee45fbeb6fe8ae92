/**
 * Reads an agent's base URL: `https:`, or `http:` on this machine (or on any host with `allowHttp`), without credentials.
 * Query, fragment and a trailing slash are removed.
 *
 * @throws {TypeError} that says what is wrong with the URL
 * @example readAgentUrl('https://agent.example/', { allowHttp: false }) // 'https://agent.example'
 */
export function readAgentUrl(url: string, options: { readonly allowHttp: boolean }): string {
  const parsed = parse(url)
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') {
    const got = JSON.stringify(url.slice(0, 100))
    throw new TypeError(`agent URL: must begin with https://, or http:// on this machine, got ${got}`)
  }
  if (parsed.username + parsed.password !== '') throw new TypeError('agent URL: must not carry credentials')
  if (parsed.protocol === 'http:' && !options.allowHttp && !isLoopback(parsed.hostname)) {
    throw new TypeError(`agent URL: must be https, http is for this machine alone, got ${parsed.origin}`)
  }
  return parsed.origin + parsed.pathname.replace(/\/+$/, '')
}

function parse(url: string): URL {
  try {
    return new URL(url)
  } catch (cause) {
    const got = JSON.stringify(url.slice(0, 100))
    throw new TypeError(`agent URL: must be like "https://agent.example", got ${got}`, { cause })
  }
}

/**
 * Does this `hostname` of a parsed URL name this machine? The URL parser has already turned `127.1`, `0x7f000001` and the
 * like into four decimal parts.
 */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(?:\.\d{1,3}){3}$/.test(hostname)
  )
}
