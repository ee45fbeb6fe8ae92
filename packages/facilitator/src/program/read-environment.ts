import type { OwnerLimits } from '../ledger/owner-ledger.ts'
import { DEFAULT_LIMITS, type FacilitatorLimits } from '../facilitator-limits.ts'
import { findNetwork, networkIds, type Network } from '@farebox/payments/networks'
import { readPrice } from '@farebox/protocol/money/usdc'
import {
  EnvironmentError,
  readCount,
  readDatabaseUrl,
  readDirectDatabaseUrl,
  readHttpUrl,
  readKeys,
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
import { readDrainSeconds } from '@farebox/server/internal/drain'
import { FACILITATOR_VARIABLES } from './variables.ts'

/** The settings of the facilitator, read from the environment once. */
export interface FacilitatorEnvironment {
  readonly host: string
  readonly port: number
  /** Undefined: metrics are not served. */
  readonly metricsPort: number | undefined
  /** How long requests are still taken after a stop was requested. */
  readonly drainSeconds: number
  readonly network: Network
  readonly rpcUrl: string
  /** A node of another provider, which must confirm a settlement before it counts. */
  readonly secondRpcUrl: string | undefined
  /** 32 bytes of `0x` hex each; at least one. */
  readonly relayerKeys: readonly string[]
  /** Undefined: the program must start its own database. */
  readonly databaseUrl: string | undefined
  /** The direct address of the server; set if `databaseUrl` is a pooler such as PgBouncer. */
  readonly directDatabaseUrl: string | undefined
  readonly databaseSchema: string
  /** The folder for the files of the program's own database. */
  readonly dataFolder: string
  /** Undefined: secrets cannot be administered over HTTP. */
  readonly adminToken: string | undefined
  /** Only the limits that are set; the engine has defaults for the others. */
  readonly limits: Partial<FacilitatorLimits>
}

const WEI_PER_GWEI = 1_000_000_000n

/** The advice about DATABASE_URL for a program without its own database. */
export const LEDGER_DATABASE_ADVICE =
  'give the postgres:// URL of a PostgreSQL server, 14 or newer, to keep the ledger in'

/**
 * Reads the environment of the facilitator; no other code reads it. Every variable is listed in `variables.ts` and in
 * docs/operating-the-facilitator.md.
 *
 * Throws an {@link EnvironmentError} that names every missing or invalid variable. It contains no secret values.
 *
 * @param bringsDatabase - whether the program has a database of its own where DATABASE_URL is unset
 */
export function readFacilitatorEnvironment(
  source: EnvironmentSource,
  { bringsDatabase = true }: { readonly bringsDatabase?: boolean } = {},
): FacilitatorEnvironment {
  const read = variablesOf(source, FACILITATOR_VARIABLES)
  return readTogether({
    host: () => read('FACILITATOR_HOST') ?? '127.0.0.1',
    port: () => readPort('FACILITATOR_PORT', read) ?? 4010,
    metricsPort: () => readPort('METRICS_PORT', read),
    drainSeconds: () => readDrainSeconds(read),
    network: () => readNetwork(read('FACILITATOR_NETWORK') ?? 'eip155:8453'),
    rpcUrl: () => readRpcUrl(read),
    secondRpcUrl: () => readHttpUrl('EVM_SECOND_RPC_URL', read),
    relayerKeys: () => readRelayerKeys(source, read),
    databaseUrl: () => readDatabaseUrl(read, bringsDatabase ? undefined : LEDGER_DATABASE_ADVICE),
    directDatabaseUrl: () => readDirectDatabaseUrl(read),
    databaseSchema: () => readSchema(read) ?? 'farebox_facilitator',
    dataFolder: () => read('FACILITATOR_DATA') ?? '.farebox/facilitator',
    adminToken: () => readToken('FACILITATOR_ADMIN_TOKEN', read),
    limits: () => readLimits(read),
  })
}

function readNetwork(id: string): Network {
  const network = findNetwork(id)
  if (network === undefined) {
    throw new EnvironmentError(
      `FACILITATOR_NETWORK must be one of ${networkIds().join(', ')}, got ${shown(id)}`,
    )
  }
  return network
}

function readRelayerKeys(source: EnvironmentSource, read: ReadVariable): readonly string[] {
  const keys = readKeys('RELAYER_PRIVATE_KEY', source, read)
  if (keys !== undefined) return keys
  throw new EnvironmentError(
    'RELAYER_PRIVATE_KEY is not set: give the key of an account that holds only a little gas money, ' +
      'or name a file that holds the key in RELAYER_PRIVATE_KEY_FILE',
  )
}

function readLimits(read: ReadVariable): FacilitatorEnvironment['limits'] {
  const { minimum, daily, most, unlisted, knownCodes, requestsPerSecond, minSettlementsLeft, maxFeeGwei } =
    readTogether({
      minimum: () => readMinimum(read('FACILITATOR_MIN_AMOUNT')),
      daily: () => readCount('FACILITATOR_DAILY_SETTLEMENTS', read),
      most: () => readCount('FACILITATOR_DAILY_SETTLEMENTS_MOST', read),
      unlisted: () => readCount('FACILITATOR_DAILY_SETTLEMENTS_UNLISTED', read),
      knownCodes: () => readKnownCodes(read('FACILITATOR_KNOWN_CODES')),
      requestsPerSecond: () => readCount('FACILITATOR_REQUESTS_PER_SECOND', read),
      minSettlementsLeft: () => readCount('FACILITATOR_MIN_SETTLEMENTS_LEFT', read),
      maxFeeGwei: () => readCount('FACILITATOR_MAX_FEE_GWEI', read),
    })
  return {
    ...(minimum !== undefined && { minimumAtomic: minimum }),
    ...((daily ?? most ?? unlisted) !== undefined && { owners: limitDaily({ daily, most, unlisted }) }),
    ...(knownCodes !== undefined && { knownCodes }),
    ...(requestsPerSecond !== undefined && { requestsPerSecond }),
    ...(minSettlementsLeft !== undefined && { minSettlementsLeft }),
    ...(maxFeeGwei !== undefined && { maxFeePerGas: BigInt(maxFeeGwei) * WEI_PER_GWEI }),
  }
}

/**
 * The limit for owners with a listed agent also applies to owners that the operator names, and caps the grants of platforms:
 * one number limits all of them.
 */
function limitDaily({
  daily,
  most = daily,
  unlisted,
}: {
  readonly [limit in 'daily' | 'most' | 'unlisted']: number | undefined
}): OwnerLimits {
  const { owners } = DEFAULT_LIMITS
  return {
    ...owners,
    ...(most !== undefined && { grantedAtMost: most }),
    dailySettlements: {
      ...owners.dailySettlements,
      ...(daily !== undefined && { named: daily, listed: daily }),
      ...(unlisted !== undefined && { unlisted }),
    },
  }
}

function readKnownCodes(value: string | undefined): readonly string[] | undefined {
  const hashes = value?.split(',').map(hash => hash.trim())
  const wrong = hashes?.find(hash => !/^0x[0-9a-f]{64}$/i.test(hash))
  if (wrong === undefined) return hashes
  throw new EnvironmentError(
    `FACILITATOR_KNOWN_CODES must be code hashes of 0x and 64 hex digits, separated by commas, got ${shown(wrong)}`,
  )
}

function readMinimum(value: string | undefined): bigint | undefined {
  if (value === undefined) return undefined
  const price = readPrice(value)
  if (!price.ok) throw new EnvironmentError(`FACILITATOR_MIN_AMOUNT ${price.reason}`)
  return price.atomic
}
