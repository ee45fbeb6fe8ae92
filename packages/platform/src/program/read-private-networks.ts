import { X509Certificate } from 'node:crypto'
import pg from 'pg'
import { refuseAddress } from '@farebox/payments/crypto/address'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import {
  EnvironmentError,
  readFileOf,
  readTogether,
  shown,
  type EnvironmentSource,
  type ReadVariable,
} from '@farebox/server/internal/environment'
import { isPrivateHostName } from '../outbound/address/host-rules.ts'
import type { OwnService, PrivateNetworks } from '../outbound/address/private-networks.ts'
import { readAddressBlock, type AddressBlock } from '../outbound/address/public-address.ts'

const REQUIRED = ['PLATFORM_PRIVATE_OWNERS', 'PLATFORM_PRIVATE_HOSTS', 'PLATFORM_PRIVATE_ADDRESSES'] as const

/** The private networks that the operator opens (D54); undefined when none of their variables is set. */
export function readPrivateNetworks(
  source: EnvironmentSource,
  read: ReadVariable,
  crypto: EvmCrypto,
): Omit<PrivateNetworks, 'ownServices'> | undefined {
  const [missing] = REQUIRED.filter(name => readList(name, read).length === 0)
  if (missing !== undefined) {
    const isGiven = [...REQUIRED, 'PLATFORM_PRIVATE_CA_FILE'].some(name => read(name) !== undefined)
    if (!isGiven) return undefined
    throw new EnvironmentError(
      `${missing} names nothing: owners, hosts and addresses of private networks go together`,
    )
  }
  return readTogether({
    owners: () => readOwners(read, crypto),
    hosts: () => readHosts(read),
    addresses: () => readBlocks('PLATFORM_PRIVATE_ADDRESSES', read),
    ca: () => readAuthority(source, read),
  })
}

/** The parts of a list with commas. */
export function readList(name: string, read: ReadVariable): readonly string[] {
  return (read(name) ?? '')
    .split(',')
    .map(one => one.trim())
    .filter(one => one !== '')
}

/** A list of addresses and CIDR ranges. */
export function readBlocks(name: string, read: ReadVariable): readonly AddressBlock[] {
  return readList(name, read).map(one => {
    const block = readAddressBlock(one)
    if (block !== undefined) return block
    throw new EnvironmentError(`${name} must be addresses or CIDR ranges, with commas, got ${shown(one)}`)
  })
}

/** Where the services behind these URLs listen; one that is reached by a socket file has no address. */
export function ownServicesAt(urls: readonly (string | undefined)[]): readonly OwnService[] {
  return urls.flatMap(text => {
    if (text === undefined) return []
    const { host: named, port } = /^postgres(?:ql)?:/.test(text) ? databaseAt(text) : webServiceAt(text)
    const host = named.replace(/^\[|\]$/g, '')
    return host === '' || host.startsWith('/') ? [] : [{ host, port }]
  })
}

/** Like the client itself: parameters of the URL, else PGHOST and PGPORT. */
function databaseAt(connectionString: string): OwnService {
  const { host, port } = new pg.Client({ connectionString })
  return { host, port }
}

function webServiceAt(text: string): OwnService {
  const { protocol, hostname, port } = new URL(text)
  const standard = protocol === 'http:' || protocol === 'ws:' ? 80 : 443
  return { host: hostname, port: port === '' ? standard : Number(port) }
}

function readOwners(read: ReadVariable, crypto: EvmCrypto): ReadonlySet<string> {
  const owners = readList('PLATFORM_PRIVATE_OWNERS', read).map(one => {
    const reason = refuseAddress(crypto, one)
    if (reason === undefined) return one.toLowerCase()
    throw new EnvironmentError(
      `PLATFORM_PRIVATE_OWNERS must be addresses of owners, with commas; one ${reason}`,
    )
  })
  return new Set(owners)
}

function readHosts(read: ReadVariable): readonly string[] {
  const hosts = readList('PLATFORM_PRIVATE_HOSTS', read)
  const wrong = hosts.find(one => !isPrivateHostName(one))
  if (wrong === undefined) return hosts
  throw new EnvironmentError(
    'PLATFORM_PRIVATE_HOSTS must be host names in lower case, with commas, such as agents.svc.cluster.local, ' +
      `got ${shown(wrong)}`,
  )
}

function readAuthority(source: EnvironmentSource, read: ReadVariable): string | undefined {
  const name = 'PLATFORM_PRIVATE_CA_FILE'
  const path = read(name)
  if (path === undefined) return undefined
  const pem = readFileOf(name, path, source, 'certificates in PEM')
  try {
    // Throws for a file without a certificate, which TLS would ignore.
    void new X509Certificate(pem)
  } catch {
    throw new EnvironmentError(`${name}: the file holds no certificate in PEM`)
  }
  return pem
}
