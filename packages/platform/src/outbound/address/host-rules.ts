import { isIP } from 'node:net'
import { isAllowedAddress } from './public-address.ts'

/**
 * The suffixes of RFC 6761, 6762, 7686 and 9476, ICANN's `internal`, and names that routers, offices and clusters use
 * internally.
 */
const INNER_SUFFIXES: ReadonlySet<string> = new Set(
  (
    'localhost local localdomain internal intranet private corp home lan domain workgroup ' +
    'arpa onion i2p alt test invalid cluster consul docker svc'
  ).split(' '),
)

/**
 * Ports where an HTTP request could harm a service other than a web server: the bad ports of the fetch standard, and
 * databases.
 */
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

const NAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Why an untrusted server may not have this host (D37, SSRF-01); undefined when it may. `host` must be the output of
 * the URL standard's parser: lower case, punycode, without a trailing dot and brackets.
 */
export function refuseHost(host: string, localMode: boolean): string | undefined {
  if (localMode && isLocalHost(host)) return undefined
  if (isIP(host) !== 0) return 'host: must be a name, not an IP address'
  if (!host.includes('.')) return 'host: must be a full domain name with at least one dot'
  if (!NAME.test(host)) return 'host: must be a domain name of letters, digits and hyphens'
  const ending = endingOf(host)
  return INNER_SUFFIXES.has(ending) ? `host: names that end in .${ending} are not public` : undefined
}

/**
 * Why an untrusted server may not use this port (D37); undefined when it may. Allowed are 443, and 1024 and above
 * without a known service.
 */
export function refusePort(port: number): string | undefined {
  if (port === 443) return undefined
  if (port < 1_024) return `port: must be 443 or at least 1024, got ${port}`
  return BLOCKED_PORTS.has(port) ? `port: ${port} belongs to another service` : undefined
}

/** Whether this name or one of its parent domains is in the list. */
export function isAtOrBelow(host: string, names: readonly string[]): boolean {
  return names.some(name => host === name || host.endsWith(`.${name}`))
}

/** Whether a name is a valid entry of the list of shunned names: lower case, punycode, with a dot. */
export function isHostName(name: string): boolean {
  return name.includes('.') && NAME.test(name)
}

/**
 * Whether a name can be at or below a name on a private network (D54): also without a dot, and with an ending that no
 * public name has. Names of this machine never are.
 */
export function isPrivateHostName(name: string): boolean {
  return isIP(name) === 0 && NAME.test(name) && endingOf(name) !== 'localhost'
}

function endingOf(host: string): string {
  return host.slice(host.lastIndexOf('.') + 1)
}

/** Whether a host denotes this machine by its spelling alone. Local mode may call such hosts without TLS. */
export function isLocalHost(host: string): boolean {
  return (
    host === 'localhost' ||
    (isIP(host) !== 0 && isAllowedAddress(host, true) && !isAllowedAddress(host, false))
  )
}
