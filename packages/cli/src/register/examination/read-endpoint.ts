import { printable } from '@farebox/conformance/internal/printable'
import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { isLoopback } from '@farebox/client/internal/agent/agent-url'
import { CommandError, usageError } from '../../command-error.ts'
import { readUrl, schemeHint } from '../../terminal/read-option.ts'

/** AgentRegistry stores no longer URL. */
const MAX_ENDPOINT_BYTES = 2_048

/** Reads the URL of `--endpoint` in the form that is registered, without a trailing slash. */
export function readEndpoint(text: string | undefined): string {
  if (text === undefined)
    throw usageError('which agent?', 'farebox register --endpoint https://agent.example')
  const shown = printable(text.slice(0, 100))
  if (!/^https?:\/\//i.test(text)) {
    const next = schemeHint(text.slice(0, 100), 'https', 'like https://agent.example')
    throw usageError(`--endpoint: "${shown}" is not the URL of an agent`, next)
  }
  const url = readUrl('--endpoint', text, { allowHttp: true, next: 'like https://agent.example' })
  if (Buffer.byteLength(url) > MAX_ENDPOINT_BYTES) {
    throw usageError(`--endpoint: has more than ${MAX_ENDPOINT_BYTES} bytes`, 'like https://agent.example')
  }
  return url
}

export function isSameEndpoint(one: string, other: string): boolean {
  return placeOf(one) === placeOf(other)
}

function placeOf(url: string): string {
  if (!canParseUrl(url)) return url
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host.replace(/\.(?=$|:)/, '')}${pathname.replace(/\/+$/, '')}`
}

/**
 * Refuses URLs that the platform would never call (D37, CLI-04): http, IP addresses, and names of this machine or of a
 * private network. A platform in local mode also accepts agents on this machine.
 */
export async function refuseUnreachable(
  endpoint: string,
  options: { readonly localMode: boolean },
): Promise<void> {
  const { protocol, host, hostname, port } = new URL(endpoint)
  if (options.localMode && isLoopback(hostname)) return
  const own = isLoopback(hostname) ? `\n${LOCAL_HINT}` : ''
  if (protocol === 'http:') {
    throw new CommandError(
      `an agent is registered by its https URL, got http://${printable(host)}`,
      `put a certificate in front of it: what goes over http can be read and used on the way${own}`,
    )
  }
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) {
    throw new CommandError(
      `${printable(hostname)} is an address, not a name`,
      `give the agent a name: https://agent.example${port === '' ? '' : `:${port}`}${own}`,
    )
  }
  const found = await addressesOf(hostname)
  const hidden = found.find(address => !isPublicAddress(address))
  if (hidden === undefined) return
  throw new CommandError(
    `${printable(hostname)} leads to ${hidden}, which nobody but you can reach`,
    `an agent has to be reachable from everywhere${own}`,
  )
}

const LOCAL_HINT = 'agents of this machine are registered at a local platform: npm start of Farebox runs one'

async function addressesOf(hostname: string): Promise<readonly string[]> {
  try {
    return (await lookup(hostname, { all: true })).map(({ address }) => address)
  } catch (cause) {
    throw new CommandError(
      `the name ${printable(hostname)} cannot be looked up`,
      'is it spelt right, and does it have a record yet?',
      { cause },
    )
  }
}

/** Blocks of IANA's special-purpose registries that are not public addresses, as far as an agent could have one. */
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const
/** The block assigned to the public internet so far; all other IPv6 addresses have a special purpose. */
const GLOBAL_IPV6 = ['2000::', 3] as const
const SPECIAL_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const

/**
 * Returns whether an IP address is public. The platform checks again, more strictly and at the time of the connection
 * (D37); this check informs an owner before anything is staked.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, 'ipv4')
    case 6:
      return globalIpv6.check(address, 'ipv6') && !special.check(address, 'ipv6')
    default:
      return false
  }
}

const special = new BlockList()
for (const [network, prefix] of SPECIAL_IPV4) special.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of SPECIAL_IPV6) special.addSubnet(network, prefix, 'ipv6')
const globalIpv6 = new BlockList()
globalIpv6.addSubnet(...GLOBAL_IPV6, 'ipv6')
