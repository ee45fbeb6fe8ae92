import { connect, type Socket } from 'node:net'
import type { ConnectTo } from '../../outbound/open-connection.ts'
import type { Resolve } from '../../outbound/address/resolve-name.ts'

/**
 * An internet on one machine: names have the addresses a test gives them, and a public address leads to a server at
 * loopback. Whatever the guard asks to connect to is counted, before anything else happens.
 */
export interface PretendInternet {
  readonly resolve: Resolve
  readonly connectTo: ConnectTo
  /** Every address that a socket was asked for. */
  readonly connects: readonly string[]
  /** Every name that was looked up. */
  readonly lookups: readonly string[]
}

/** What a name resolves to: the same each time, or one list after the other, the last again and again. */
export interface Names {
  readonly [host: string]: readonly string[] | readonly (readonly string[])[]
}

/** Makes one. `routes`: the port at loopback for each public address; every other address refuses connections. */
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

/** The guard looks whom it reached: behind a pretended route that is the address it asked for. */
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
