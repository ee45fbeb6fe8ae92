import { findNetwork, networkIds, type Network } from '@farebox/payments/networks'
import { readPrice } from '@farebox/protocol/money/usdc'

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

/** A variable that keeps the facilitator from starting; the message names it and says what to do. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError'
}

/** The variables as `process.env` has them, and how to read a file one of them names. */
export interface EnvironmentSource {
  readonly variables: { readonly [name: string]: string | undefined }
  readonly readFile: (path: string) => string
}

const MIN_TOKEN_CHARACTERS = 16
const WEI_PER_GWEI = 1_000_000_000n

/**
 * Reads the environment of the facilitator, the only place that does. Every variable is in
 * docs/operating-the-facilitator.md.
 *
 * Throws {@link EnvironmentError} for the first variable that is missing or wrong. No value of a secret is in
 * it.
 */
export function readEnvironment(source: EnvironmentSource): FacilitatorEnvironment {
  // An empty variable is how many tools spell an absent one.
  const read = (name: string): string | undefined => {
    const value = source.variables[name]
    return value === undefined || value === '' ? undefined : value
  }
  return {
    host: read('FACILITATOR_HOST') ?? '127.0.0.1',
    port: readPort('FACILITATOR_PORT', read) ?? 4010,
    metricsPort: readPort('METRICS_PORT', read),
    network: readNetwork(read('FACILITATOR_NETWORK') ?? 'eip155:8453'),
    rpcUrl: readRpcUrl(read('EVM_RPC_URL')),
    relayerKey: readRelayerKey(read, source.readFile),
    databaseUrl: readDatabaseUrl(read('DATABASE_URL')),
    databaseSchema: readSchema(read('DATABASE_SCHEMA') ?? 'farebox_facilitator'),
    dataFolder: read('FACILITATOR_DATA') ?? '.farebox/facilitator',
    adminToken: readAdminToken(read('FACILITATOR_ADMIN_TOKEN')),
    limits: readLimits(read),
  }
}

type Read = (name: string) => string | undefined

function readPort(name: string, read: Read): number | undefined {
  const value = read(name)
  if (value === undefined) return undefined
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
  if (!(port <= 65_535))
    throw new EnvironmentError(`${name} must be a port, 0 to 65535, got ${JSON.stringify(value)}`)
  return port
}

function readNetwork(id: string): Network {
  const network = findNetwork(id)
  if (network === undefined) {
    throw new EnvironmentError(
      `FACILITATOR_NETWORK must be one of ${networkIds().join(', ')}, got ${JSON.stringify(id)}`,
    )
  }
  return network
}

function readRpcUrl(value: string | undefined): string {
  if (value === undefined) {
    throw new EnvironmentError(
      'EVM_RPC_URL is not set: give the http(s) URL of an Ethereum JSON-RPC node of the network',
    )
  }
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    // Not shown: such URLs often carry a key.
    throw new EnvironmentError('EVM_RPC_URL must be an http or https URL')
  }
  return value
}

function readRelayerKey(read: Read, readFile: (path: string) => string): string {
  const [direct, file] = [read('RELAYER_PRIVATE_KEY'), read('RELAYER_PRIVATE_KEY_FILE')]
  if (direct !== undefined && file !== undefined) {
    throw new EnvironmentError(
      'RELAYER_PRIVATE_KEY and RELAYER_PRIVATE_KEY_FILE are both set: set one of them',
    )
  }
  if (direct === undefined && file === undefined) {
    throw new EnvironmentError(
      'RELAYER_PRIVATE_KEY is not set: give the key of an account that holds a little gas money only, ' +
        'or name a file with it in RELAYER_PRIVATE_KEY_FILE',
    )
  }
  const name = direct === undefined ? 'RELAYER_PRIVATE_KEY_FILE' : 'RELAYER_PRIVATE_KEY'
  const key = direct ?? readKeyFile(file ?? '', readFile)
  if (!/^0x[0-9a-fA-F]{64}$/.test(key)) throw new EnvironmentError(`${name} must hold 0x and 64 hex digits`)
  return key
}

function readKeyFile(path: string, readFile: (path: string) => string): string {
  try {
    return readFile(path).trim()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new EnvironmentError(`RELAYER_PRIVATE_KEY_FILE cannot be read: ${reason}`)
  }
}

function readDatabaseUrl(value: string | undefined): string | undefined {
  if (value === undefined || (URL.canParse(value) && /^postgres(?:ql)?:$/.test(new URL(value).protocol)))
    return value
  // Not shown: such URLs carry a password.
  throw new EnvironmentError('DATABASE_URL must be a postgres:// URL')
}

function readSchema(value: string): string {
  if (/^[a-z_][a-z0-9_]{0,40}$/.test(value)) return value
  throw new EnvironmentError(
    `DATABASE_SCHEMA must be lower-case letters, digits and _, at most 41, got ${JSON.stringify(value)}`,
  )
}

function readAdminToken(value: string | undefined): string | undefined {
  if (value === undefined || (value.length >= MIN_TOKEN_CHARACTERS && !/\s/.test(value))) return value
  throw new EnvironmentError(
    `FACILITATOR_ADMIN_TOKEN must be at least ${MIN_TOKEN_CHARACTERS} characters without spaces: ` +
      'try openssl rand -hex 32',
  )
}

function readLimits(read: Read): FacilitatorEnvironment['limits'] {
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

function readCount(name: string, read: Read): number | undefined {
  const value = read(name)
  if (value === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(value))
    throw new EnvironmentError(`${name} must be a whole number, 1 to 999999999, got ${JSON.stringify(value)}`)
  return Number(value)
}
