import ipaddr from 'ipaddr.js'

/** How many bits of an IPv6 address name a household; the rest its members choose as they like (RFC 6177). */
const IPV6_HOUSEHOLD_BITS = 64

/**
 * The name under which an address is counted: an IPv4 address itself, whichever way it is written, and of an IPv6
 * address its network. What is no address is itself.
 */
export function callerKey(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  if (address instanceof ipaddr.IPv4) return address.toString()
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_HOUSEHOLD_BITS}`)
  return `${network.toString()}/${IPV6_HOUSEHOLD_BITS}`
}
