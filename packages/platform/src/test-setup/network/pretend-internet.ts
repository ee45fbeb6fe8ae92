import { connect, type Socket } from 'node:net'
import type { ConnectTo } from '../../outbound/open-connection.ts'
import type { Resolve } from '../../outbound/address/resolve-name.ts'

/**
 * A simulated internet on one machine: names have the addresses that a test sets, and a public address leads to a
 * server on loopback. Every connection that the guard requests is recorded first.
 */
export interface PretendInternet {
  readonly resolve: Resolve
  readonly connectTo: ConnectTo
  /** Every address for which a socket was requested. */
  readonly connects: readonly string[]
  /** Every name that was resolved. */
  readonly lookups: readonly string[]
}

/** The addresses of a name: the same each time, or one list after the other, with the last one repeated. */
export interface Names {
  readonly [host: string]: readonly string[] | readonly (readonly string[])[]
}

/**
 * Creates a simulated internet.
 *
 * @param routes - the port on loopback for each public address; all other addresses refuse connections
 */
export function createPretendInternet(
  names: Names,
  routes: { readonly [address: string]: number },
): PretendInternet {
  const connects: string[] = []
  const lookups: string[] = []
  return {
    connects,
    lookups,
    async resolve(host) {
      const times = lookups.filter(name => name === host).length
      lookups.push(host)
      return addressesAt(names[host] ?? [], times)
    },
    connectTo(address) {
      connects.push(address)
      const socket = connect({ host: '127.0.0.1', port: routes[address] ?? 1 })
      return claimAddress(socket, address)
    },
  }
}

/** Makes the socket report the requested address, because the guard compares it with the address reached. */
function claimAddress(socket: Socket, address: string): Socket {
  return Object.defineProperty(socket, 'remoteAddress', { get: () => address })
}

function addressesAt(answers: Names[string], times: number): readonly string[] {
  const [first] = answers
  if (first === undefined) return []
  if (typeof first === 'string') return answers.filter(answer => typeof answer === 'string')
  const answer = answers[Math.min(times, answers.length - 1)]
  return typeof answer === 'object' ? answer : []
}
