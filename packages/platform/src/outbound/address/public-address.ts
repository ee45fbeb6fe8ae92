import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** A block of addresses: the network address and the length of its prefix in bits. */
export type AddressBlock = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Addresses that are inside a network although the address registries list them as public. */
const INSIDE = [
  // Azure's platform agent (DNS, DHCP, health) responds at this address on every virtual machine.
  ipaddr.parseCIDR('168.63.129.16/32'),
] as const

/**
 * Metadata services of cloud providers (Amazon, Google, Scaleway, Oracle, Linode, Alibaba) in blocks that a private
 * network may use; the others are link-local.
 */
const METADATA = [
  ipaddr.parseCIDR('fd00:ec2::/32'),
  ipaddr.parseCIDR('fd20:ce::254/128'),
  ipaddr.parseCIDR('fd00:42::42/128'),
  ipaddr.parseCIDR('fd00:c1::a9fe:a9fe/128'),
  ipaddr.parseCIDR('fd00:a9fe:a9fe::1/128'),
  ipaddr.parseCIDR('100.100.100.200/32'),
  // Its name servers.
  ipaddr.parseCIDR('100.100.2.136/32'),
  ipaddr.parseCIDR('100.100.2.138/32'),
] as const

/** The ranges, as ipaddr.js names them, of addresses that a private network may have. */
const PRIVATE_RANGES: ReadonlySet<string> = new Set(['private', 'carrierGradeNat', 'uniqueLocal'])

/**
 * RFC 4291 §2.4, IANA: the only block from which global IPv6 unicast addresses are assigned. This check also refuses
 * `::a.b.c.d`.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an untrusted server may have this address (D37, SSRF-01). Only global unicast is allowed; IPv4-mapped
 * addresses are judged as IPv4. Every tunnel, translation, test, shared and reserved block is refused. Local mode also
 * allows the loopback block. A string that is not an address is refused.
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

/**
 * Whether a host on a private network may have this address (D54): it lies in a block that the operator opened, and is
 * public or in a range for private use. Loopback, link-local, metadata and every other special address stay refused,
 * also in an opened block.
 */
export function isAllowedPrivateAddress(address: string, opened: readonly AddressBlock[]): boolean {
  const parsed = parseAddress(address)
  if (parsed === undefined || !isWithin(address, opened) || isWithin(address, METADATA)) return false
  if (!PRIVATE_RANGES.has(parsed.range())) return isAllowedAddress(address, false)
  return parsed instanceof ipaddr.IPv4 || !isTunnel(parsed)
}

/**
 * Reads `203.0.113.7`, `203.0.113.0/24` or `2001:db8::/32`; undefined when the text is neither an address nor a block.
 */
export function readAddressBlock(text: string): AddressBlock | undefined {
  const [address = '', bits, ...more] = text.split('/')
  const parsed = parseAddress(address)
  if (parsed === undefined || more.length > 0) return undefined
  // The prefix length of an IPv4-mapped IPv6 block does not apply to the IPv4 address that it is parsed to.
  if (isIP(address) === 6 && parsed instanceof ipaddr.IPv4) return undefined
  const whole = parsed instanceof ipaddr.IPv4 ? 32 : 128
  if (bits === undefined) return [parsed, whole]
  return /^\d{1,3}$/.test(bits) && Number(bits) <= whole ? [parsed, Number(bits)] : undefined
}

/** Whether an address is in one of these blocks. An IPv4-mapped address is compared as IPv4. */
export function isWithin(address: string, blocks: readonly AddressBlock[]): boolean {
  const parsed = parseAddress(address)
  return (
    parsed !== undefined &&
    blocks.some(([start, bits]) => parsed.kind() === start.kind() && parsed.match(start, bits))
  )
}

/** Whether two spellings denote one address. An IPv4-mapped address is compared as IPv4. */
export function isSameAddress(one: string, other: string): boolean {
  const parsed = parseAddress(one)
  return parsed !== undefined && parsed.toNormalizedString() === parseAddress(other)?.toNormalizedString()
}

/**
 * The presumed owner of an address: the IPv4 address itself, or the /64 that a public IPv6 host is assigned. In a private
 * network a /64 has many hosts.
 */
export function addressOwner(address: string): string {
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6 && parsed.range() !== 'uniqueLocal'
    ? parsed.parts
        .slice(0, 4)
        .map(part => part.toString(16))
        .join(':')
    : parsed.toString()
}

/**
 * Parses strictly. ipaddr.js also accepts strings that are not addresses (`1.2.3`), and reads every IPv6 address with
 * dots as an IPv4-mapped one: `::8.8.8.8` would be judged as 8.8.8.8, but the connection would go elsewhere.
 */
function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const family = isIP(address)
  if (family === 0) return undefined
  if (family === 6 && address.includes('.') && !/^::ffff:[0-9.]+$/i.test(address)) return undefined
  return ipaddr.process(address)
}

/** RFC 5214 §6.1: an ISATAP interface identifier contains an IPv4 address, which may be a private one. */
function isTunnel(address: ipaddr.IPv6): boolean {
  const [, , , , flags = 0, marker] = address.parts
  return (flags & 0xfdff) === 0 && marker === 0x5efe
}
