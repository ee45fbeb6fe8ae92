import ipaddr from 'ipaddr.js'

/**
 * The prefix length of an IPv6 address that identifies a household, whose members choose the other bits freely (RFC 6177).
 */
const IPV6_HOUSEHOLD_BITS = 64

/**
 * The key under which the requests of an address are counted: a normalized IPv4 address, or the /64 network of an IPv6
 * address. A text that is not an address is returned unchanged.
 */
export function callerKey(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  if (address instanceof ipaddr.IPv4) return address.toString()
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_HOUSEHOLD_BITS}`)
  return `${network.toString()}/${IPV6_HOUSEHOLD_BITS}`
}
