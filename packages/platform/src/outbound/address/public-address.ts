import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Addresses that begin alike. */
export type AddressBlock = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** What else is inside a network although the address registries call it public. */
const INSIDE = [
  // Azure's platform agent (DNS, DHCP, health) answers here from every virtual machine.
  ipaddr.parseCIDR('168.63.129.16/32'),
] as const

/** RFC 4291 §2.4, IANA: the one block that global IPv6 unicast is given out of. Keeps `::a.b.c.d` out as well. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an untrusted server may be at this address (D37, SSRF-01): global unicast only, with IPv4-mapped
 * addresses read as the IPv4 they are. Every tunnel, translation, test, shared and reserved block is refused. In
 * local mode the loopback block is allowed besides. What is no address is refused.
 */
export function isAllowedAddress(address: string, localMode: boolean): boolean {
  const parsed = parseAddress(address)
  if (parsed === undefined) return false
  const range = parsed.range()
  if (range === 'loopback') return localMode
  if (range !== 'unicast') return false
  if (parsed instanceof ipaddr.IPv6) return parsed.match(GLOBAL_UNICAST) && !isTunnel(parsed)
  return !INSIDE.some(([network, bits]) => network instanceof ipaddr.IPv4 && parsed.match(network, bits))
}

/** Reads `203.0.113.7`, `203.0.113.0/24`, `2001:db8::/32`; nothing where it is neither an address nor a block. */
export function readAddressBlock(text: string): AddressBlock | undefined {
  const [address = '', bits, ...more] = text.split('/')
  const parsed = parseAddress(address)
  if (parsed === undefined || more.length > 0) return undefined
  // An IPv4 address in the clothes of IPv6 has other bits than its block would say.
  if (isIP(address) === 6 && parsed instanceof ipaddr.IPv4) return undefined
  const whole = parsed instanceof ipaddr.IPv4 ? 32 : 128
  if (bits === undefined) return [parsed, whole]
  return /^\d{1,3}$/.test(bits) && Number(bits) <= whole ? [parsed, Number(bits)] : undefined
}

/** Whether an address is in one of these blocks, an IPv4-mapped one being the IPv4 it stands for. */
export function isWithin(address: string, blocks: readonly AddressBlock[]): boolean {
  const parsed = parseAddress(address)
  return (
    parsed !== undefined &&
    blocks.some(([start, bits]) => parsed.kind() === start.kind() && parsed.match(start, bits))
  )
}

/** Whether two spellings are one address, an IPv4-mapped one being the IPv4 it stands for. */
export function isSameAddress(one: string, other: string): boolean {
  const parsed = parseAddress(one)
  return parsed !== undefined && parsed.toNormalizedString() === parseAddress(other)?.toNormalizedString()
}

/** Whom an address belongs to as far as we can tell: an IPv4 address, or the /64 that one IPv6 host is given. */
export function addressOwner(address: string): string {
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6
    ? parsed.parts
        .slice(0, 4)
        .map(part => part.toString(16))
        .join(':')
    : parsed.toString()
}

/**
 * ipaddr.js also takes what is no address (`1.2.3`), and reads every IPv6 address with dots in it as an IPv4-mapped
 * one: `::8.8.8.8` would be judged as 8.8.8.8 and connected to elsewhere.
 */
function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const family = isIP(address)
  if (family === 0) return undefined
  if (family === 6 && address.includes('.') && !/^::ffff:[0-9.]+$/i.test(address)) return undefined
  return ipaddr.process(address)
}

/** RFC 5214 §6.1: an ISATAP interface identifier carries an IPv4 address, which may be an inner one. */
function isTunnel(address: ipaddr.IPv6): boolean {
  const [, , , , flags = 0, marker] = address.parts
  return (flags & 0xfdff) === 0 && marker === 0x5efe
}
