import { isIP } from 'node:net'
import { isAllowedAddress } from './public-address.ts'

/** RFC 6761, 6762, 7686, 9476, ICANN's `internal`, and what routers, offices and clusters call their own. */
const INNER_SUFFIXES: ReadonlySet<string> = new Set(
  (
    'localhost local localdomain internal intranet private corp home lan domain workgroup ' +
    'arpa onion i2p alt test invalid cluster consul docker svc'
  ).split(' '),
)

/** Where an HTTP request could do harm to what is no web server: the fetch standard's bad ports, and databases. */
const BLOCKED_PORTS: ReadonlySet<number> = new Set(
  (
    '1080 1433 1434 1521 1719 1720 1723 1883 2049 2181 2375 2376 2377 2379 2380 3128 3306 3389 3659 4045 4190 ' +
    '4369 5060 5061 5432 5433 5672 5900 5901 5984 5985 5986 6000 6001 6379 6380 6443 6566 6665 6666 6667 6668 ' +
    '6669 6679 6697 7000 7001 8086 8545 8546 8551 9042 9092 9100 9160 9200 9300 9418 10080 10250 10255 10256 ' +
    '11211 15672 25672 26379 27017 27018 27019'
  )
    .split(' ')
    .map(Number),
)

const NAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Why an untrusted server may not have this host (D37, SSRF-01), or nothing. `host` is what the URL standard made of
 * it: lower case, punycode, no trailing dot, no brackets.
 */
export function refuseHost(host: string, localMode: boolean): string | undefined {
  if (localMode && isLocalHost(host)) return undefined
  if (isIP(host) !== 0) return 'host: must be a name, not an IP address'
  if (!host.includes('.')) return 'host: must be a full domain name with at least one dot'
  if (!NAME.test(host)) return 'host: must be a domain name of letters, digits and hyphens'
  const ending = host.slice(host.lastIndexOf('.') + 1)
  return INNER_SUFFIXES.has(ending) ? `host: names that end in .${ending} are not public` : undefined
}

/** Why an untrusted server may not listen there (D37), or nothing: 443, or 1024 and above without a known service. */
export function refusePort(port: number): string | undefined {
  if (port === 443) return undefined
  if (port < 1_024) return `port: must be 443 or at least 1024, got ${port}`
  return BLOCKED_PORTS.has(port) ? `port: ${port} belongs to another service` : undefined
}

/** Whether this name, or one above it, is among those whose owners want no calls from us (SSRF-07). */
export function isShunned(host: string, shunned: readonly string[]): boolean {
  return shunned.some(name => host === name || host.endsWith(`.${name}`))
}

/** Whether a name can be shunned: as the rules for hosts have it, lower case, punycode. */
export function isHostName(name: string): boolean {
  return NAME.test(name)
}

/** Whether a host is this machine by its very spelling: what local mode may call without TLS. */
export function isLocalHost(host: string): boolean {
  return (
    host === 'localhost' ||
    (isIP(host) !== 0 && isAllowedAddress(host, true) && !isAllowedAddress(host, false))
  )
}
