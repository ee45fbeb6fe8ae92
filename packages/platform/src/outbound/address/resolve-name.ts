import { Resolver } from 'node:dns/promises'
import { OutboundFailure } from './outbound-failure.ts'

/**
 * Resolves a host to its addresses, IPv4 first, at least one. Rejects with the reason when there is none. Called once
 * for each connection; the caller stops waiting when `signal` aborts.
 */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>

const ATTEMPT_MS = 1_500
const ATTEMPTS = 2

/**
 * Resolves names with c-ares and a timeout of its own (SSRF-06). The system's resolver would occupy one of the four
 * threads that file access and cryptography also need, and would read the hosts file.
 *
 * @param servers - name servers to use instead of the system's
 */
export function createResolve(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: ATTEMPT_MS, tries: ATTEMPTS })
  if (servers !== undefined) resolver.setServers(servers)
  return async host => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const addresses = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0) return addresses
    const why = answers.map(answer => (answer.status === 'rejected' ? String(answer.reason) : 'no address'))
    throw new OutboundFailure('unreachable', `dns: ${why.join(', ')}`)
  }
}
