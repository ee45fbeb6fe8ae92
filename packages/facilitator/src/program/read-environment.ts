import { findNetwork, networkIds, type Network } from '@farebox/payments/networks'
import { readPrice } from '@farebox/protocol/money/usdc'
import {
  EnvironmentError,
  readCount,
  readDatabaseUrl,
  readKey,
  readPort,
  readRpcUrl,
  readSchema,
  readToken,
  shown,
  variablesOf,
  type EnvironmentSource,
  type ReadVariable,
} from '@farebox/server/environment'

/** What the facilitator is told by its environment; read once. */
export interface FacilitatorEnvironment {
  readonly host: string
  readonly port: number
  /** Undefined: no metrics are served. */
  readonly metricsPort: number | undefined
  readonly network: Network
  readonly rpcUrl: string
  /** 32 bytes of `0x` hex. */
  readonly relayerKey: string
  /** Undefined: needed, unless the program brings a database of its own. */
  readonly databaseUrl: string | undefined
  readonly databaseSchema: string
  /** Where a database that the program brings keeps its files. */
  readonly dataFolder: string
  /** Undefined: secrets cannot be administered over HTTP. */
  readonly adminToken: string | undefined
  /** Only what was set; the engine has defaults for the rest. */
  readonly limits: {
    readonly minimumAtomic?: bigint
    readonly dailySettlements?: number
    readonly requestsPerSecond?: number
    readonly maxFeePerGas?: bigint
    readonly minSettlementsLeft?: number
  }
}

const WEI_PER_GWEI = 1_000_000_000n

/**
 * Reads the environment of the facilitator, the only place that does. Every variable is in
 * docs/operating-the-facilitator.md.
 *
 * Throws {@link EnvironmentError} for the first variable that is missing or wrong. No value of a secret is in
 * it.
 */
export function readEnvironment(source: EnvironmentSource): FacilitatorEnvironment {
  const read = variablesOf(source)
  return {
    host: read('FACILITATOR_HOST') ?? '127.0.0.1',
    port: readPort('FACILITATOR_PORT', read) ?? 4010,
    metricsPort: readPort('METRICS_PORT', read),
    network: readNetwork(read('FACILITATOR_NETWORK') ?? 'eip155:8453'),
    rpcUrl: readRpcUrl(read),
    relayerKey: readRelayerKey(source),
    databaseUrl: readDatabaseUrl(read),
    databaseSchema: readSchema(read) ?? 'farebox_facilitator',
    dataFolder: read('FACILITATOR_DATA') ?? '.farebox/facilitator',
    adminToken: readToken('FACILITATOR_ADMIN_TOKEN', read),
    limits: readLimits(read),
  }
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

function readRelayerKey(source: EnvironmentSource): string {
  const key = readKey('RELAYER_PRIVATE_KEY', source)
  if (key !== undefined) return key
  throw new EnvironmentError(
    'RELAYER_PRIVATE_KEY is not set: give the key of an account that holds a little gas money only, ' +
      'or name a file with it in RELAYER_PRIVATE_KEY_FILE',
  )
}

function readLimits(read: ReadVariable): FacilitatorEnvironment['limits'] {
  const minimum = read('FACILITATOR_MIN_AMOUNT')
  const dailySettlements = readCount('FACILITATOR_DAILY_SETTLEMENTS', read)
  const requestsPerSecond = readCount('FACILITATOR_REQUESTS_PER_SECOND', read)
  const minSettlementsLeft = readCount('FACILITATOR_MIN_SETTLEMENTS_LEFT', read)
  const maxFeeGwei = readCount('FACILITATOR_MAX_FEE_GWEI', read)
  return {
    ...(minimum !== undefined && { minimumAtomic: readMinimum(minimum) }),
    ...(dailySettlements !== undefined && { dailySettlements }),
    ...(requestsPerSecond !== undefined && { requestsPerSecond }),
    ...(minSettlementsLeft !== undefined && { minSettlementsLeft }),
    ...(maxFeeGwei !== undefined && { maxFeePerGas: BigInt(maxFeeGwei) * WEI_PER_GWEI }),
  }
}

function readMinimum(value: string): bigint {
  const price = readPrice(value)
  if (!price.ok) throw new EnvironmentError(`FACILITATOR_MIN_AMOUNT ${price.reason}`)
  return price.atomic
}
