import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { refuseAddress } from '@farebox/payments/crypto/address'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { findNetwork, networkIds, type Network } from '@farebox/payments/networks'
import { nearest } from '@farebox/protocol/internal/problems/nearest'
import { MAX_MAX_DEADLINE_SECONDS } from '@farebox/protocol/limits'
import type { LogFormat } from '../log.ts'
import type { MetricsAddress } from '../metrics/agent-metrics.ts'
import { EnvironmentError, type EnvironmentProblem } from './environment-error.ts'
import { readHiring, type HiringSettings } from './read-hiring.ts'
import type { Variables } from './variables.ts'

export type { Variables } from './variables.ts'
import { ENVIRONMENT_DEFAULTS } from './environment-variables.ts'

/** The environment, read once and checked (D30). Only this module knows the names of the variables. */
export interface Environment {
  /** The address as given; served as `wallet`. */
  readonly wallet: string
  readonly devMode: boolean
  /** Undefined: paid requests are answered 401 (D11). */
  readonly facilitatorSecret: string | undefined
  readonly facilitatorUrl: string
  readonly port: number
  readonly network: Network
  /** `memory:`, `lmdb:<folder>` or `redis://…`. */
  readonly store: string
  /** The URL of a chain node; needed when the facilitator is not Farebox's own (D9). */
  readonly rpcUrl: string | undefined
  /**
   * The key that sends the handlers' spends and pays their gas, `0x` and 64 digits; undefined: handlers cannot spend.
   */
  readonly spenderPrivateKey: string | undefined
  /** The agent's id in the registry, to which payers grant permission to spend. */
  readonly agentId: bigint | undefined
  /** Undefined: handlers cannot hire other agents. */
  readonly hiring: HiringSettings | undefined
  /** The URL at which callers reach this agent, without a trailing slash. */
  readonly publicUrl: string | undefined
  readonly logFormat: LogFormat
  readonly isolation: Isolation
  /** A new run with less time left is refused before any work is done (D17). */
  readonly leastDeadlineSeconds: number
  /** How long requests are still accepted after the agent was asked to stop. */
  readonly drainSeconds: number
  /** The address for Prometheus; undefined: metrics are not counted. */
  readonly metrics: MetricsAddress | undefined
}

/** `worker`: handlers run in separate processes; `none`: they run in the agent's process. */
export type Isolation = 'worker' | 'none'

/**
 * Reads and checks the environment. Throws an {@link EnvironmentError} with every variable at fault. Unusual values are
 * refused and never interpreted, because a wrong guess could cost money.
 */
export function readEnvironment(variables: Variables, crypto: Pick<EvmCrypto, 'keccak256'>): Environment {
  return Object.freeze(
    readAll({
      devMode: () => readDevMode(variables),
      wallet: () => readWallet(variables, crypto),
      facilitatorSecret: () => readSecret(variables),
      facilitatorUrl: () => readUrl(variables, 'FACILITATOR_URL') ?? ENVIRONMENT_DEFAULTS.FACILITATOR_URL,
      port: () =>
        readPort(variables, 'PORT', `leave it unset for ${ENVIRONMENT_DEFAULTS.PORT}`) ??
        ENVIRONMENT_DEFAULTS.PORT,
      network: () => readNetwork(variables),
      store: () => readStore(variables),
      rpcUrl: () => readUrl(variables, 'SERVICE_RPC_URL'),
      spenderPrivateKey: () => readSpenderKey(variables),
      agentId: () => readAgentId(variables),
      hiring: () => readHiring(variables),
      publicUrl: () => readPublicUrl(variables),
      logFormat: () => readLogFormat(variables),
      isolation: () => readIsolation(variables),
      leastDeadlineSeconds: () => readLeastDeadline(variables),
      drainSeconds: () => readDrain(variables),
      metrics: () => readMetrics(variables),
    }),
  )
}

/** Calls every reader before it throws, so that all problems can be fixed at once. */
function readAll<Readers extends { readonly [name: string]: () => unknown }>(
  readers: Readers,
): { readonly [name in keyof Readers]: ReturnType<Readers[name]> } {
  const problems: EnvironmentProblem[] = []
  const values = Object.entries(readers).map(([name, read]) => {
    try {
      return [name, read()] as const
    } catch (error) {
      if (!(error instanceof EnvironmentError)) throw error
      problems.push(...error.problems)
      return [name, undefined] as const
    }
  })
  const [first, ...others] = problems
  if (first !== undefined) throw new EnvironmentError(first, ...others)
  // There is no problem, so each name has the value that its reader returned.
  return Object.fromEntries(values) as { readonly [name in keyof Readers]: ReturnType<Readers[name]> }
}

/**
 * Exactly `true` or exactly `false`: every other spelling refuses the start, so that no typo turns payment off
 * (OPS-01).
 */
function readDevMode(variables: Variables): boolean {
  const value = variables['SERVICE_DEV_MODE']
  if (value === 'true') return true
  if (value === 'false') return false
  const problem =
    value === undefined
      ? notSet(variables, 'SERVICE_DEV_MODE')
      : `must be exactly "true" or "false", got ${shown(value)}`
  return refuse(
    'SERVICE_DEV_MODE',
    problem,
    'set SERVICE_DEV_MODE=false to take payments, or =true to try the agent without any',
  )
}

function readWallet(variables: Variables, crypto: Pick<EvmCrypto, 'keccak256'>): string {
  const value = variables['AGENT_WALLET_ADDRESS']
  const hint = 'set AGENT_WALLET_ADDRESS to the address that should be paid, like 0x1234…abcd (40 hex digits)'
  if (value === undefined || value === '')
    return refuse('AGENT_WALLET_ADDRESS', notSet(variables, 'AGENT_WALLET_ADDRESS'), hint)
  const refused = refuseAddress(crypto, value)
  if (refused !== undefined) return refuse('AGENT_WALLET_ADDRESS', refused, hint)
  return value
}

function readSecret(variables: Variables): string | undefined {
  const value = variables['FACILITATOR_SECRET']
  if (value === undefined || value === '') return undefined
  if (/^[\x21-\x7e]{1,512}$/.test(value)) return value
  return refuse(
    'FACILITATOR_SECRET',
    'has characters that no secret has (a space, a line break?)',
    'copy it again, whole and without quotes',
  )
}

/** Reads the spender's key. No part of an invalid key is shown. */
function readSpenderKey(variables: Variables): string | undefined {
  const value = variables['SPENDER_PRIVATE_KEY']
  if (value === undefined || value === '') return undefined
  if (/^0x[0-9a-fA-F]{64}$/.test(value)) return value
  return refuse(
    'SPENDER_PRIVATE_KEY',
    'must be a private key: 0x and 64 hex digits',
    'copy the key of an account of its own, or leave it unset where no handler spends',
  )
}

function readAgentId(variables: Variables): bigint | undefined {
  const value = variables['AGENT_ID']
  if (value === undefined || value === '') return undefined
  if (/^[1-9]\d{0,77}$/.test(value) && BigInt(value) < 2n ** 256n) return BigInt(value)
  return refuse(
    'AGENT_ID',
    `must be the number that the agent is registered under, got ${shown(value)}`,
    'set AGENT_ID to what registering the agent told, like 7, or leave it unset where no handler spends',
  )
}

function readUrl(variables: Variables, name: string): string | undefined {
  const value = variables[name]
  if (value === undefined || value === '') return undefined
  // The URL parser silently drops white space, but later comparisons with the value do not (D13).
  const url = canParseUrl(value) && !/\s/.test(value) ? new URL(value) : undefined
  if (url !== undefined && (url.protocol === 'http:' || url.protocol === 'https:')) return value
  return refuse(name, 'must be a URL beginning with http:// or https://', `set ${name}, or leave it unset`)
}

/** Callers sign the URL with `/execute` appended, so it must have no query, fragment or user. */
function readPublicUrl(variables: Variables): string | undefined {
  const value = readUrl(variables, 'SERVICE_PUBLIC_URL')
  if (value === undefined) return undefined
  const { search, hash, username, password } = new URL(value)
  if (search + hash + username + password === '') return value.replace(/\/+$/, '')
  return refuse(
    'SERVICE_PUBLIC_URL',
    'must be without a query, a fragment and a user',
    'set it to where callers reach this agent, like https://agent.example',
  )
}

function readPort(variables: Variables, name: string, hint: string): number | undefined {
  const value = variables[name]
  // An empty PORT is refused: it indicates a broken deployment (OPS-10).
  if (value === undefined || (value === '' && name !== 'PORT')) return undefined
  const port = Number(value)
  if (/^\d{1,5}$/.test(value) && port <= 65_535) return port
  return refuse(name, `must be a port number from 0 to 65535, got ${shown(value)}`, hint)
}

/** The host defaults to loopback, because metrics are not for callers (D31). */
function readMetrics(variables: Variables): MetricsAddress | undefined {
  const port = readPort(variables, 'SERVICE_METRICS_PORT', 'leave it unset for no metrics')
  const host = variables['SERVICE_METRICS_HOST'] || ENVIRONMENT_DEFAULTS.SERVICE_METRICS_HOST
  if (!/^[\w.:%-]{1,253}$/.test(host))
    return refuse(
      'SERVICE_METRICS_HOST',
      'must be a host name or an address',
      'like 0.0.0.0, or leave it unset',
    )
  return port === undefined ? undefined : { host, port }
}

/** An empty value is refused as an unknown network: the default is a chain with real money. */
function readNetwork(variables: Variables): Network {
  const value = variables['SERVICE_NETWORK'] ?? ENVIRONMENT_DEFAULTS.SERVICE_NETWORK
  const network = findNetwork(value)
  if (network !== undefined) return network
  return refuse(
    'SERVICE_NETWORK',
    `is not a network we know: ${shown(value)}`,
    `known are ${networkIds().join(', ')}`,
  )
}

function readStore(variables: Variables): string {
  const value = variables['SERVICE_STORE'] || ENVIRONMENT_DEFAULTS.SERVICE_STORE
  if (/^(?:memory:$|lmdb:.|rediss?:\/\/.)/.test(value)) return value
  return refuse('SERVICE_STORE', 'is not a store we know', 'memory:, lmdb:<folder> or redis://host:port are')
}

function readLogFormat(variables: Variables): LogFormat {
  const value = variables['SERVICE_LOG'] || ENVIRONMENT_DEFAULTS.SERVICE_LOG
  if (value === 'text' || value === 'json') return value
  return refuse('SERVICE_LOG', 'must be "text" or "json"', 'leave it unset for text')
}

function readIsolation(variables: Variables): Isolation {
  const value = variables['SERVICE_ISOLATION'] || ENVIRONMENT_DEFAULTS.SERVICE_ISOLATION
  if (value === 'worker' || value === 'none') return value
  return refuse(
    'SERVICE_ISOLATION',
    `must be "worker" or "none", got ${shown(value)}`,
    'set SERVICE_ISOLATION=worker to run handlers in processes of their own, or leave it unset',
  )
}

function readLeastDeadline(variables: Variables): number {
  const value = variables['SERVICE_LEAST_DEADLINE_SECONDS']
  if (value === undefined || value === '') return ENVIRONMENT_DEFAULTS.SERVICE_LEAST_DEADLINE_SECONDS
  const seconds = Number(value)
  if (/^\d+(\.\d+)?$/.test(value) && seconds <= MAX_MAX_DEADLINE_SECONDS) return seconds
  return refuse(
    'SERVICE_LEAST_DEADLINE_SECONDS',
    `must be a number of seconds from 0 to ${MAX_MAX_DEADLINE_SECONDS}, got ${shown(value)}`,
    'leave it unset to take every deadline that has not passed',
  )
}

/** The jobs in flight keep at least four of the 25 seconds of a stop (D32). */
const MOST_DRAIN_SECONDS = 15

function readDrain(variables: Variables): number {
  const value = variables['SERVICE_DRAIN_SECONDS']
  if (value === undefined || value === '') return ENVIRONMENT_DEFAULTS.SERVICE_DRAIN_SECONDS
  if (/^\d{1,2}$/.test(value) && Number(value) <= MOST_DRAIN_SECONDS) return Number(value)
  return refuse(
    'SERVICE_DRAIN_SECONDS',
    `must be a whole number of seconds from 0 to ${MOST_DRAIN_SECONDS}, got ${shown(value)}`,
    'set it to what a balancer takes to notice that /ready answers 503, like 5',
  )
}

/** Names a variable with a similar name, if one is set: the likeliest reason for a missing one is a typo. */
function notSet(variables: Variables, name: string): string {
  const similar = nearest(name, Object.keys(variables))
  return similar === undefined ? 'is not set' : `is not set, but ${similar} is: a typo?`
}

function refuse(variable: string, problem: string, hint: string): never {
  throw new EnvironmentError({ variable, problem, hint })
}

/** Valid values are short; a longer one may be a secret that was put into the wrong variable, so it is not shown. */
const MAX_SHOWN_CHARACTERS = 24

function shown(value: string): string {
  return value.length > MAX_SHOWN_CHARACTERS ? `${value.length} characters` : JSON.stringify(value)
}
