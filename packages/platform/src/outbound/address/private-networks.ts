import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import { isAllowedPrivateAddress, isSameAddress, type AddressBlock } from './public-address.ts'

/** The private networks that the operator opens to the endpoints of some owners (D54). */
export interface PrivateNetworks {
  /** Lower-case addresses of the owners. */
  readonly owners: ReadonlySet<string>
  /** Names on these networks, including subdomains. */
  readonly hosts: readonly string[]
  readonly addresses: readonly AddressBlock[]
  /** A certificate authority in PEM, trusted only on these networks, in addition to the public ones. */
  readonly ca?: string | undefined
  /** Services of the platform itself, which no agent may be: database, node, facilitator. */
  readonly ownServices: readonly OwnService[]
}

/** Where a service of the platform listens. */
export interface OwnService {
  /** A name or an address. */
  readonly host: string
  readonly port: number
}

/**
 * The names that a call for this owner may reach on private networks.
 *
 * @param owner - lower-case address; undefined for a call that no owner is known of, such as a webhook
 */
export function privateHostsOf(
  { owners, hosts }: PrivateNetworks,
  owner: string | undefined,
): readonly string[] {
  return owner !== undefined && owners.has(owner) ? hosts : []
}

/** Whether every address of a host is on an opened network. */
export function areOnPrivateNetwork(addresses: readonly string[], networks: PrivateNetworks): boolean {
  return addresses.every(address => isAllowedPrivateAddress(address, networks.addresses))
}

/**
 * The first of these addresses that is one of this machine, on any of its networks; undefined when none is. Services that
 * listen on loopback often listen on every other address as well.
 */
export function findThisMachine(addresses: readonly string[]): string | undefined {
  const own = Object.values(networkInterfaces()).flatMap((network = []) =>
    network.map(({ address }) => address),
  )
  return addresses.find(address => own.some(one => isSameAddress(one, address)))
}

/**
 * The address at which a service of the platform listens on this port, of these addresses; undefined when none does.
 * The services are looked up as the platform itself does, with the hosts file; rejects when that fails.
 */
export async function findOwnService(
  { addresses, port }: { readonly addresses: readonly string[]; readonly port: number },
  { ownServices }: PrivateNetworks,
): Promise<string | undefined> {
  const hosts = ownServices.filter(service => service.port === port).map(({ host }) => host)
  const found = await Promise.all(hosts.map(lookUp))
  return addresses.find(address => found.flat().some(own => isSameAddress(own.address, address)))
}

/** Lookups in progress, by name: each takes one of the few threads that also look up the database, for as long as it takes. */
const lookups = new Map<string, Promise<readonly LookupAddress[]>>()

function lookUp(host: string): Promise<readonly LookupAddress[]> {
  const begun = lookups.get(host)
  if (begun !== undefined) return begun
  const looking = lookup(host, { all: true }).finally(() => lookups.delete(host))
  lookups.set(host, looking)
  return looking
}
