import { refuseAddress } from '@farebox/payments/address'
import type { EvmCrypto } from '@farebox/payments/evm-crypto'
import { findNetwork, networkIds, type Network } from '@farebox/payments/networks'
import type { LogFormat } from '../log.ts'

/** What the environment says, read once and checked (D30). The one place that knows the variables' names. */
export interface Environment {
  /** As given; served as `wallet`. */
  readonly wallet: string
  readonly devMode: boolean
  /** Undefined: paid requests are answered 401 (D11). */
  readonly facilitatorSecret: string | undefined
  readonly facilitatorUrl: string
  readonly port: number
  readonly network: Network
  /** `memory:`, `lmdb:<folder>` or `redis://…`. */
  readonly store: string
  /** A chain node; needed where the facilitator is not one of ours (D9). */
  readonly rpcUrl: string | undefined
  /** Where callers reach this agent, without a trailing slash. */
  readonly publicUrl: string | undefined
  readonly logFormat: LogFormat
}

/** Thrown when the environment is not fit to start with. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError'
  readonly variable: string
  /** What to do about it. */
  readonly hint: string

  constructor(variable: string, problem: string, hint: string) {
    super(`${variable} ${problem}`)
    this.variable = variable
    this.hint = hint
  }
}

/** Variables as the process has them. */
export type Variables = { readonly [name: string]: string | undefined }

const DEFAULT_FACILITATOR_URL = 'http://127.0.0.1:4010'
const DEFAULT_NETWORK = 'eip155:8453'
const DEFAULT_STORE = 'lmdb:.farebox/jobs'
const DEFAULT_PORT = 3000

/**
 * Reads and checks the environment. Throws an {@link EnvironmentError} naming the first variable at fault; a
 * value that is merely odd is never guessed at, because a guess here would be paid for with money.
 */
export function readEnvironment(variables: Variables, crypto: Pick<EvmCrypto, 'keccak256'>): Environment {
  return Object.freeze({
    devMode: readDevMode(variables),
    wallet: readWallet(variables, crypto),
    facilitatorSecret: readSecret(variables),
    facilitatorUrl: readUrl(variables, 'FACILITATOR_URL') ?? DEFAULT_FACILITATOR_URL,
    port: readPort(variables),
    network: readNetwork(variables),
    store: readStore(variables),
    rpcUrl: readUrl(variables, 'SERVICE_RPC_URL'),
    publicUrl: readPublicUrl(variables),
    logFormat: readLogFormat(variables),
  })
}

/** Exactly `true` or exactly `false`: every other spelling refuses to start, none skips payment (OPS-01). */
function readDevMode(variables: Variables): boolean {
  const value = variables['SERVICE_DEV_MODE']
  if (value === 'true') return true
  if (value === 'false') return false
  const problem =
    value === undefined
      ? 'is not set'
      : `must be exactly "true" or "false", got ${JSON.stringify(value.slice(0, 40))}`
  throw new EnvironmentError(
    'SERVICE_DEV_MODE',
    problem,
    'set SERVICE_DEV_MODE=false to take payments, or =true to try the agent without any',
  )
}

function readWallet(variables: Variables, crypto: Pick<EvmCrypto, 'keccak256'>): string {
  const value = variables['AGENT_WALLET_ADDRESS']
  const hint = 'set AGENT_WALLET_ADDRESS to the address that should be paid, like 0x1234…abcd (40 hex digits)'
  if (value === undefined || value === '')
    throw new EnvironmentError('AGENT_WALLET_ADDRESS', 'is not set', hint)
  const refused = refuseAddress(crypto, value)
  if (refused !== undefined) throw new EnvironmentError('AGENT_WALLET_ADDRESS', refused, hint)
  return value
}

function readSecret(variables: Variables): string | undefined {
  const value = variables['FACILITATOR_SECRET']
  if (value === undefined || value === '') return undefined
  if (/^[\x21-\x7e]{1,512}$/.test(value)) return value
  throw new EnvironmentError(
    'FACILITATOR_SECRET',
    'has characters that no secret has (a space, a line break?)',
    'copy it again, whole and without quotes',
  )
}

function readUrl(variables: Variables, name: string): string | undefined {
  const value = variables[name]
  if (value === undefined || value === '') return undefined
  // The parser drops white space without a word, but what is compared with the value later does not (D13).
  const url = URL.canParse(value) && !/\s/.test(value) ? new URL(value) : undefined
  if (url !== undefined && (url.protocol === 'http:' || url.protocol === 'https:')) return value
  throw new EnvironmentError(
    name,
    'must be a URL beginning with http:// or https://',
    `set ${name}, or leave it unset`,
  )
}

/** `/execute` is put behind it, and callers sign what comes out: it must be a place and nothing more. */
function readPublicUrl(variables: Variables): string | undefined {
  const value = readUrl(variables, 'SERVICE_PUBLIC_URL')
  if (value === undefined) return undefined
  const { search, hash, username, password } = new URL(value)
  if (search + hash + username + password === '') return value.replace(/\/+$/, '')
  throw new EnvironmentError(
    'SERVICE_PUBLIC_URL',
    'must be without a query, a fragment and a user',
    'set it to where callers reach this agent, like https://agent.example',
  )
}

function readPort(variables: Variables): number {
  const value = variables['PORT']
  if (value === undefined || value === '') return DEFAULT_PORT
  const port = Number(value)
  if (/^\d{1,5}$/.test(value) && port <= 65_535) return port
  throw new EnvironmentError(
    'PORT',
    `must be a port number from 0 to 65535, got ${JSON.stringify(value.slice(0, 40))}`,
    `leave it unset for ${DEFAULT_PORT}`,
  )
}

function readNetwork(variables: Variables): Network {
  const value = variables['SERVICE_NETWORK'] || DEFAULT_NETWORK
  const network = findNetwork(value)
  if (network !== undefined) return network
  throw new EnvironmentError(
    'SERVICE_NETWORK',
    `is not a network we know: ${JSON.stringify(value.slice(0, 40))}`,
    `known are ${networkIds().join(', ')}`,
  )
}

function readStore(variables: Variables): string {
  const value = variables['SERVICE_STORE'] || DEFAULT_STORE
  if (/^(?:memory:$|lmdb:.|rediss?:\/\/.)/.test(value)) return value
  throw new EnvironmentError(
    'SERVICE_STORE',
    'is not a store we know',
    'memory:, lmdb:<folder> or redis://host:port are',
  )
}

function readLogFormat(variables: Variables): LogFormat {
  const value = variables['SERVICE_LOG'] || 'text'
  if (value === 'text' || value === 'json') return value
  throw new EnvironmentError('SERVICE_LOG', 'must be "text" or "json"', 'leave it unset for text')
}
