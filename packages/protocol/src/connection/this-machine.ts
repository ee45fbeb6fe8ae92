/** Browsers and Node have it; this package uses the types of neither. */
const { URL } = globalThis as unknown as { readonly URL: new (text: string) => { readonly hostname: string } }

/** Whether an address to listen on, or a host's name, leads to this machine alone. */
export function isThisMachine(hostname: string | undefined): boolean {
  if (hostname === undefined) return false
  const name = hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || LOOPBACK.test(name)
}

const LOOPBACK = /^127(?:\.\d{1,3}){3}$/

/** The host's name in a URL, or in an `Origin`; undefined where it has none. */
export function hostnameOf(url: string): string | undefined {
  try {
    return new URL(url).hostname
  } catch {
    return undefined
  }
}
