import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
/** The address of a Redis server and the prefix of this agent's keys, read from `SERVICE_STORE`. */
export interface RedisAddress {
  readonly host: string
  readonly port: number
  readonly database: number
  readonly tls: boolean
  readonly username: string | undefined
  readonly password: string | undefined
  /** The prefix of every key, which ends with a colon. */
  readonly prefix: string
  /** How many replicas must have a claim or a save before it counts; 0: replication is not awaited. */
  readonly replicas: number
  /** The setting without user and password. */
  readonly name: string
}

const DEFAULT_PORT = 6379
const DEFAULT_PREFIX = 'farebox:'

/**
 * Reads `redis://[user:password@]host[:port][/database][?prefix=name&replicas=1]`, or `rediss://…` for TLS. Throws an
 * error that names `SERVICE_STORE` and the fault, and never repeats the setting, because any part of it may contain a
 * password.
 */
export function readRedisAddress(setting: string): RedisAddress {
  const url = canParseUrl(setting) ? new URL(setting) : undefined
  if (url === undefined || (url.protocol !== 'redis:' && url.protocol !== 'rediss:') || url.hostname === '') {
    throw refused('must be redis://host:6379/0 or rediss://…; a password in it must be percent-encoded')
  }
  const port = url.port === '' ? DEFAULT_PORT : Number(url.port)
  const database = readDatabase(url.pathname)
  const prefix = readPrefix(url.searchParams)
  const replicas = readReplicas(url.searchParams)
  return {
    // The brackets around an IPv6 address are part of the URL syntax only.
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    database,
    tls: url.protocol === 'rediss:',
    username: readCredential(url.username),
    password: readCredential(url.password),
    prefix,
    replicas,
    name: `${url.protocol}//${url.hostname}:${port}/${database}${shownParameters(prefix, replicas)}`,
  }
}

function readDatabase(pathname: string): number {
  const match = /^\/?(\d{0,4})$/.exec(pathname)
  if (match === null) throw refused('the path must be a database number, as in redis://host:6379/0')
  return Number(match[1])
}

function readPrefix(parameters: URLSearchParams): string {
  for (const name of parameters.keys()) {
    if (name !== 'prefix' && name !== 'replicas')
      throw refused('prefix and replicas are the only parameters it may have')
  }
  const given = parameters.getAll('prefix')
  if (given.length === 0) return DEFAULT_PREFIX
  const [prefix = ''] = given
  if (given.length > 1 || !/^[\w.:-]{1,64}$/.test(prefix)) {
    throw refused('prefix must be 1 to 64 letters, digits, dots, colons, dashes or underscores')
  }
  return prefix.endsWith(':') ? prefix : `${prefix}:`
}

function readReplicas(parameters: URLSearchParams): number {
  const given = parameters.getAll('replicas')
  const [count = '0'] = given
  if (given.length > 1 || !/^\d$/.test(count)) throw refused('replicas must be a number from 0 to 9')
  return Number(count)
}

function shownParameters(prefix: string, replicas: number): string {
  const shown = [
    ...(prefix === DEFAULT_PREFIX ? [] : [`prefix=${prefix.slice(0, -1)}`]),
    ...(replicas === 0 ? [] : [`replicas=${replicas}`]),
  ]
  return shown.length === 0 ? '' : `?${shown.join('&')}`
}

function readCredential(encoded: string): string | undefined {
  if (encoded === '') return undefined
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw refused('user and password must be percent-encoded')
  }
}

function refused(reason: string): Error {
  return new Error(`SERVICE_STORE: ${reason}`)
}
