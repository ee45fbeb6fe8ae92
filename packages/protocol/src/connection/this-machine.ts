/** Browsers and Node have this global; this package uses the types of neither. */
const { URL } = globalThis as unknown as { readonly URL: new (text: string) => { readonly hostname: string } }

/** Does an address to listen on, or a host name, lead only to this machine? */
export function isThisMachine(hostname: string | undefined): boolean {
  if (hostname === undefined) return false
  const name = hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || LOOPBACK.test(name)
}

const LOOPBACK = /^127(?:\.\d{1,3}){3}$/

/** The host name in a URL or in an `Origin`; undefined when there is none. */
export function hostnameOf(url: string): string | undefined {
  try {
    return new URL(url).hostname
  } catch {
    return undefined
  }
}
