import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'

/** A server's name or address, and its port. */
export interface RedisServer {
  readonly host: string
  readonly port: number
}

/** Where the primary is found. */
export type RedisPlace =
  /** It is one of the servers. */
  | { readonly kind: 'servers' }
  /** The servers are Sentinels, which know it by this name. */
  | { readonly kind: 'sentinel'; readonly primary: string }
  /** The servers are nodes of a cluster: it is the primary of the slot that all keys of this agent are in. */
  | { readonly kind: 'cluster' }

/** The address of a Redis and the prefix of this agent's keys, read from `SERVICE_STORE`. */
export interface RedisAddress {
  /** At least one. */
  readonly servers: readonly RedisServer[]
  readonly place: RedisPlace
  readonly database: number
  readonly tls: boolean
  readonly username: string | undefined
  readonly password: string | undefined
  /** The prefix of every key, which ends with a colon; in a cluster a hash tag, so that one slot has all keys. */
  readonly prefix: string
  /** How many replicas must have a claim or a write before it counts; 0: replication is not awaited. */
  readonly replicas: number
  /** The setting without user and password. */
  readonly name: string
}

const DEFAULT_PORT = 6379
const DEFAULT_PREFIX = 'farebox'
const PARAMETERS: readonly string[] = ['prefix', 'replicas', 'sentinel', 'cluster']

/**
 * Reads `redis://[user:password@]host[:port][,host…][/database][?prefix=name&replicas=1&sentinel=name&cluster=true]`, or
 * `rediss://…` for TLS. Throws an error that names `SERVICE_STORE` and the fault, and never repeats the setting, because
 * any part of it may contain a password.
 */
export function readRedisAddress(setting: string): RedisAddress {
  const [, protocol, authority = '', pathname = '', query = ''] =
    /^(rediss?):\/\/([^/?#\s]+)(\/[^?#\s]*)?(\?[^#\s]*)?$/.exec(setting) ?? []
  if (protocol === undefined)
    throw refused('must be redis://host:6379/0 or rediss://…; a password in it must be percent-encoded')
  const parameters = new URLSearchParams(query)
  for (const name of parameters.keys())
    if (!PARAMETERS.includes(name))
      throw refused(`${PARAMETERS.join(', ')} are the only parameters it may have`)
  const [listed = '', login = '', ...more] = authority.split('@').toReversed()
  if (more.length > 0)
    throw refused('user and password come once, before the first server, and are percent-encoded')
  const [username = '', ...password] = login.split(':')
  const servers = listed.split(',').map(readServer)
  const place = readPlace(parameters)
  const database = readDatabase(pathname)
  if (place.kind === 'cluster' && database !== 0) throw refused('a cluster has no databases but 0')
  const prefix = readPrefix(parameters)
  const replicas = readReplicas(parameters)
  return {
    servers,
    place,
    database,
    tls: protocol === 'rediss',
    username: readCredential(username),
    password: readCredential(password.join(':')),
    prefix: place.kind === 'cluster' ? `{${prefix}}:` : `${prefix}:`,
    replicas,
    name: `${protocol}://${servers.map(showServer).join()}/${database}${shownParameters({ prefix, replicas, place })}`,
  }
}

function readServer(text: string): RedisServer {
  const url = canParseUrl(`redis://${text}`) ? new URL(`redis://${text}`) : undefined
  if (url === undefined || url.hostname === '' || url.username !== '' || url.password !== '')
    throw refused('each server must be host or host:port, as in redis://one:6379,two:6379/0')
  return {
    // The brackets around an IPv6 address are part of the URL syntax only.
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
  }
}

function showServer({ host, port }: RedisServer): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

function readPlace(parameters: URLSearchParams): RedisPlace {
  const sentinel = parameters.getAll('sentinel')
  const cluster = parameters.getAll('cluster')
  if (sentinel.length + cluster.length > 1) throw refused('it may have one of sentinel and cluster, once')
  const [primary] = sentinel
  if (primary !== undefined) {
    if (!/^[\w.:-]{1,64}$/.test(primary))
      throw refused('sentinel must be the name that Sentinels have for the primary')
    return { kind: 'sentinel', primary }
  }
  if (cluster.length === 0) return { kind: 'servers' }
  if (cluster[0] !== 'true') throw refused('cluster must be true, or left out')
  return { kind: 'cluster' }
}

function readDatabase(pathname: string): number {
  const match = /^\/?(\d{0,4})$/.exec(pathname)
  if (match === null) throw refused('the path must be a database number, as in redis://host:6379/0')
  return Number(match[1])
}

/** Without the colon that ends it. */
function readPrefix(parameters: URLSearchParams): string {
  const given = parameters.getAll('prefix')
  if (given.length === 0) return DEFAULT_PREFIX
  const [prefix = ''] = given
  if (given.length > 1 || !/^[\w.:-]{1,64}$/.test(prefix)) {
    throw refused('prefix must be 1 to 64 letters, digits, dots, colons, dashes or underscores')
  }
  return prefix.replace(/:$/, '')
}

function readReplicas(parameters: URLSearchParams): number {
  const given = parameters.getAll('replicas')
  const [count = '0'] = given
  if (given.length > 1 || !/^\d$/.test(count)) throw refused('replicas must be a number from 0 to 9')
  return Number(count)
}

function shownParameters({
  prefix,
  replicas,
  place,
}: Pick<RedisAddress, 'prefix' | 'replicas' | 'place'>): string {
  const shown = [
    ...(prefix === DEFAULT_PREFIX ? [] : [`prefix=${prefix}`]),
    ...(replicas === 0 ? [] : [`replicas=${replicas}`]),
    ...(place.kind === 'sentinel' ? [`sentinel=${place.primary}`] : []),
    ...(place.kind === 'cluster' ? ['cluster=true'] : []),
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
