import { readDrainSeconds } from '@farebox/server/internal/drain'
import ipaddr from 'ipaddr.js'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { refuseAddress } from '@farebox/payments/crypto/address'
import { findNetwork, networkIds, type Network } from '@farebox/payments/networks'
import { readPrice } from '@farebox/protocol/money/usdc'
import {
  EnvironmentError,
  readCount,
  readDatabaseUrl,
  readDirectDatabaseUrl,
  readHttpUrl,
  readKey,
  readPort,
  readRpcUrl,
  readSchema,
  readTogether,
  readToken,
  shown,
  variablesOf,
  type EnvironmentSource,
  type ReadVariable,
} from '@farebox/server/internal/environment'
import { isHostName } from '../outbound/address/host-rules.ts'
import type { PrivateNetworks } from '../outbound/address/private-networks.ts'
import type { AddressBlock } from '../outbound/address/public-address.ts'
import { CHECK_INTERVAL_MS, REFRESH_INTERVAL_MS, type PlatformSettings } from '../platform-parts.ts'
import { readBlocks, readList, readPrivateNetworks } from './read-private-networks.ts'
import { readSettlementRule } from './read-settlement-rule.ts'
import { PLATFORM_VARIABLES } from './variables.ts'

/** The platform's settings, read once from its environment. */
export interface PlatformEnvironment {
  readonly host: string
  readonly port: number
  /** Undefined when no metrics are served. */
  readonly metricsPort: number | undefined
  /** How long requests are still taken after a stop was requested. */
  readonly drainSeconds: number
  /** Addresses and CIDR ranges of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[]
  /** Host names whose owners want no calls from the platform. */
  readonly shunnedHosts: readonly string[]
  /** Public addresses that must not be called, such as the platform's own. */
  readonly shunnedAddresses: readonly AddressBlock[]
  /** Private networks opened to the agents of some owners (D54). */
  readonly privateNetworks: Omit<PrivateNetworks, 'ownServices'> | undefined
  readonly network: Network
  readonly rpcUrl: string
  /** Undefined only when the program starts a database of its own. */
  readonly databaseUrl: string | undefined
  /** The URL of the server itself; set when `databaseUrl` leads to a pooler such as PgBouncer. */
  readonly directDatabaseUrl: string | undefined
  readonly databaseSchema: string
  /** The folder for the files of the program's own database, and for the payment key when none is set. */
  readonly dataFolder: string
  /** The key that encrypts payments: `0x` and 32 bytes in hex. Undefined when it is kept in `dataFolder`. */
  readonly paymentKey: string | undefined
  /** The previous key, with which payments in the database may still be encrypted. */
  readonly paymentKeyBefore: string | undefined
  /** `publicUrl` is undefined when it is the address that the program listens on. */
  readonly settings: Omit<PlatformSettings, 'publicUrl'> & { readonly publicUrl: string | undefined }
}

const DEFAULT_CONFIRMATIONS = 12

/** The requirements for DATABASE_URL when the program does not start a database of its own. */
export const DATABASE_ADVICE = 'give the postgres:// URL of a PostgreSQL server, 14 or newer, with pg_trgm'

/**
 * Reads the environment of the platform; no other code does. Every variable is listed in `variables.ts` and in
 * docs/operating-the-platform.md.
 *
 * Throws an {@link EnvironmentError} that names every missing or wrong variable and contains no value of a secret.
 *
 * @param bringsDatabase - whether the program starts a database of its own when DATABASE_URL is unset
 */
export function readEnvironment(
  source: EnvironmentSource,
  crypto: EvmCrypto,
  { bringsDatabase = true }: { readonly bringsDatabase?: boolean } = {},
): PlatformEnvironment {
  const read = variablesOf(source, PLATFORM_VARIABLES)
  return readTogether({
    host: () => read('PLATFORM_HOST') ?? '127.0.0.1',
    port: () => readListeningPort(read),
    metricsPort: () => readPort('METRICS_PORT', read),
    drainSeconds: () => readDrainSeconds(read),
    trustedProxies: () => readProxies(read),
    shunnedHosts: () => readShunned(read),
    shunnedAddresses: () => readBlocks('PLATFORM_SHUNNED_ADDRESSES', read),
    privateNetworks: () => readPrivateNetworks(source, read, crypto),
    network: () => readNetwork(read('PLATFORM_NETWORK') ?? 'eip155:8453'),
    rpcUrl: () => readRpcUrl(read),
    databaseUrl: () => readDatabaseUrl(read, bringsDatabase ? undefined : DATABASE_ADVICE),
    directDatabaseUrl: () => readDirectDatabaseUrl(read),
    databaseSchema: () => readSchema(read) ?? 'farebox_platform',
    dataFolder: () => read('PLATFORM_DATA') ?? '.farebox/platform',
    paymentKey: () => readPaymentKey(source, read),
    paymentKeyBefore: () => readKey('PAYMENT_ENCRYPTION_KEY_BEFORE', source, read),
    settings: () => readSettings(source, read, crypto),
  })
}

function readSettings(
  source: EnvironmentSource,
  read: ReadVariable,
  crypto: EvmCrypto,
): PlatformEnvironment['settings'] {
  const isLocal = (): boolean => readSwitch('PLATFORM_LOCAL', read)
  const { canary, ...settings } = readTogether({
    publicUrl: () => readPublicUrl(read, { localMode: isLocal(), port: readListeningPort(read) }),
    localMode: isLocal,
    registryAddress: () => readAddress('AGENT_REGISTRY_ADDRESS', read, crypto),
    registryFirstBlock: () => readCount('AGENT_REGISTRY_BLOCK', read) ?? 0,
    permissionsFirstBlock: () => readCount('SPEND_PERMISSIONS_BLOCK', read) ?? 0,
    confirmations: () => readConfirmations(read) ?? (isLocal() ? 0 : DEFAULT_CONFIRMATIONS),
    checkIntervalMs: () => readMs('PLATFORM_CHECK_SECONDS', read) ?? CHECK_INTERVAL_MS,
    refreshIntervalMs: () => readMs('PLATFORM_REFRESH_SECONDS', read) ?? REFRESH_INTERVAL_MS,
    facilitator: () => readFacilitator(read),
    settlements: () => readSettlementRule(read),
    operatorToken: () => readToken('PLATFORM_OPERATOR_TOKEN', read),
    canary: () => readCanary(source, read),
    faucetKey: () => readFaucetKey(source, read, isLocal()),
  })
  return { ...settings, ...canary }
}

function readListeningPort(read: ReadVariable): number {
  return readPort('PLATFORM_PORT', read) ?? 4000
}

/** Accepts only `true` or `false`, so that a typing error cannot turn on local mode for a public platform. */
function readSwitch(name: string, read: ReadVariable): boolean {
  const value = read(name) ?? 'false'
  if (value === 'true' || value === 'false') return value === 'true'
  throw new EnvironmentError(`${name} must be exactly "true" or "false", got ${shown(value)}`)
}

function readShunned(read: ReadVariable): readonly string[] {
  const hosts = readList('PLATFORM_SHUNNED_HOSTS', read)
  const wrong = hosts.find(one => !isHostName(one))
  if (wrong === undefined) return hosts
  throw new EnvironmentError(
    `PLATFORM_SHUNNED_HOSTS must be host names in lower case, with commas, such as agents.example, got ${shown(wrong)}`,
  )
}

function readProxies(read: ReadVariable): readonly string[] {
  const proxies = readList('PLATFORM_TRUSTED_PROXIES', read)
  const wrong = proxies.find(one => !ipaddr.isValid(one) && !ipaddr.isValidCIDR(one))
  if (wrong === undefined) return proxies
  throw new EnvironmentError(
    `PLATFORM_TRUSTED_PROXIES must be addresses or CIDR ranges, with commas, got ${shown(wrong)}`,
  )
}

function readNetwork(id: string): Network {
  const network = findNetwork(id)
  if (network !== undefined) return network
  throw new EnvironmentError(`PLATFORM_NETWORK must be one of ${networkIds().join(', ')}, got ${shown(id)}`)
}

function readPublicUrl(
  read: ReadVariable,
  { localMode, port }: { readonly localMode: boolean; readonly port: number },
): string | undefined {
  const value = readHttpUrl('PLATFORM_PUBLIC_URL', read)
  if (value === undefined) {
    // The public URL is part of receipts and sign-ins, so it must be known before the port is; port 0 means any free
    // one.
    if (localMode && port !== 0) return undefined
    throw new EnvironmentError(
      'PLATFORM_PUBLIC_URL is not set: give the https URL by which people and agents reach this platform',
    )
  }
  const { protocol, origin, pathname, search, hash } = new URL(value)
  if (protocol !== 'https:' && !localMode)
    throw new EnvironmentError('PLATFORM_PUBLIC_URL must be an https URL, unless PLATFORM_LOCAL is true')
  if (pathname !== '/' || search !== '' || hash !== '')
    throw new EnvironmentError('PLATFORM_PUBLIC_URL must be an origin alone, such as https://farebox.example')
  return origin
}

function readAddress(name: string, read: ReadVariable, crypto: EvmCrypto): string {
  const value = read(name)
  if (value === undefined)
    throw new EnvironmentError(`${name} is not set: give the address of the AgentRegistry contract`)
  const reason = refuseAddress(crypto, value)
  if (reason !== undefined) throw new EnvironmentError(`${name} ${reason}`)
  return value.toLowerCase()
}

function readConfirmations(read: ReadVariable): number | undefined {
  return read('REGISTRY_CONFIRMATIONS') === '0' ? 0 : readCount('REGISTRY_CONFIRMATIONS', read)
}

function readMs(name: string, read: ReadVariable): number | undefined {
  const seconds = readCount(name, read)
  return seconds === undefined ? undefined : seconds * 1_000
}

function readFacilitator(read: ReadVariable): PlatformSettings['facilitator'] {
  const url = readHttpUrl('FACILITATOR_URL', read)
  const adminToken = readToken('FACILITATOR_ADMIN_TOKEN', read)
  if (url === undefined && adminToken === undefined) return undefined
  if (url !== undefined && adminToken !== undefined) return { url, adminToken }
  throw new EnvironmentError(
    'FACILITATOR_URL and FACILITATOR_ADMIN_TOKEN belong together: set both or neither',
  )
}

function readCanary(
  source: EnvironmentSource,
  read: ReadVariable,
): Pick<PlatformSettings, 'canaryKey' | 'canaryBudgetAtomic'> {
  const canaryKey = readKey('CANARY_PRIVATE_KEY', source, read)
  const budget = read('CANARY_DAILY_BUDGET')
  if (budget === undefined && canaryKey === undefined) return { canaryKey, canaryBudgetAtomic: 0n }
  if (budget === undefined || canaryKey === undefined)
    throw new EnvironmentError(
      'CANARY_PRIVATE_KEY and CANARY_DAILY_BUDGET belong together: set both or neither',
    )
  const price = readPrice(budget)
  if (!price.ok) throw new EnvironmentError(`CANARY_DAILY_BUDGET ${price.reason}`)
  return { canaryKey, canaryBudgetAtomic: price.atomic }
}

/** With DATABASE_URL, several machines may share the database, so the key must not depend on a file of one of them. */
function readPaymentKey(source: EnvironmentSource, read: ReadVariable): string | undefined {
  const key = readKey('PAYMENT_ENCRYPTION_KEY', source, read)
  if (key !== undefined || read('DATABASE_URL') === undefined || readSwitch('PLATFORM_LOCAL', read))
    return key
  throw new EnvironmentError(
    'PAYMENT_ENCRYPTION_KEY is not set: give 0x and 64 hex digits, which encrypt payments in the database; ' +
      'keep them apart from it',
  )
}

/** Allowed in local mode only, where the money is not real, so that no real wallet can be emptied by the faucet. */
function readFaucetKey(
  source: EnvironmentSource,
  read: ReadVariable,
  localMode: boolean,
): string | undefined {
  const key = readKey('FAUCET_PRIVATE_KEY', source, read)
  if (key === undefined || localMode) return key
  throw new EnvironmentError('FAUCET_PRIVATE_KEY can be set only where PLATFORM_LOCAL is true')
}
