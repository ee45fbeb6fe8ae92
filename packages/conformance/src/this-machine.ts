/**
 * Is this the `hostname` of a parsed URL on this machine? The URL parser has already put a name into lower case and an
 * IPv4 address into four decimal parts.
 */
export function isThisMachine(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(?:\.\d{1,3}){3}$/.test(hostname)
  )
}
