import type { AbstractConnector, Redis } from 'ioredis'
import { isLookedUp, loginOf, primaryConnector } from './redis-primary.ts'
import type { RedisAddress } from './redis-address.ts'

/** The time after which a Redis command has failed: the job is refused and nothing is charged (D25). */
const COMMAND_TIMEOUT_MS = 1_000
const CONNECT_TIMEOUT_MS = 3_000
/** A connection without an answer for this long is dropped and replaced, because the server may have moved. */
const SILENT_SOCKET_MS = 2_000
const MAX_RECONNECT_DELAY_MS = 1_000
/** The interval at which the server's settings are checked. */
const INSPECT_EVERY_MS = 5_000

/** A connection on which a command fails when it cannot be executed at once. */
export interface RedisConnection {
  readonly redis: Redis
  /** Waits for the answer. Rejects with an error that names the store and contains no secret. */
  readonly ask: <Answer>(command: () => Promise<Answer>) => Promise<Answer>
  readonly close: () => Promise<void>
}

/**
 * Connects, and reconnects in the background until it is closed. Rejects when the first attempt fails, when ioredis is
 * not installed, and when the server may evict keys or is not as the address says; when that becomes true later, all
 * commands are refused until it is corrected (D25).
 */
export async function connectRedis(address: RedisAddress): Promise<RedisConnection> {
  const redis = createClient(await importIoredis(), address)
  const link: Link = { address, redis, trouble: undefined, unfit: undefined, wasOpened: false }
  redis.on('error', (error: Error) => {
    link.trouble = messageOf(error)
  })
  redis.on('ready', () => {
    link.trouble = undefined
    // After a reconnect it may be another server or have other settings, so commands are refused until these have been
    // checked.
    link.unfit = link.wasOpened ? 'its settings are being looked at after a reconnect; try again' : undefined
    if (link.wasOpened) void inspectAgain(link)
  })
  const inspecting = setInterval(() => void inspectAgain(link), INSPECT_EVERY_MS)
  inspecting.unref()
  try {
    await askNow(link, () => redis.connect())
    const fault = await findFault(link)
    if (fault !== undefined) throw unusable(address, fault)
    link.wasOpened = true
  } catch (error) {
    clearInterval(inspecting)
    redis.disconnect()
    throw error
  }
  return {
    redis,
    async ask(command) {
      if (link.unfit !== undefined && redis.status === 'ready') throw unusable(address, link.unfit)
      return await askNow(link, command)
    },
    async close() {
      clearInterval(inspecting)
      // Waits for outstanding answers; a connection that is down has none.
      await redis.quit().catch(() => redis.disconnect())
    },
  }
}

/** A connection and its state. */
interface Link {
  readonly address: RedisAddress
  readonly redis: Redis
  /** The reason why it is down; undefined while it is up. */
  trouble: string | undefined
  /** The reason why no command may be sent to its server. */
  unfit: string | undefined
  wasOpened: boolean
}

async function askNow<Answer>(link: Link, command: () => Promise<Answer>): Promise<Answer> {
  try {
    return await command()
  } catch (error) {
    // When the connection is down, ioredis reports only its own state; the actual reason may have been reported before.
    const isUp = link.redis.status === 'ready'
    throw unusable(link.address, isUp ? messageOf(error) : (link.trouble ?? 'the connection was lost'))
  }
}

/**
 * Checks the settings again: those that keep records from being evicted can change while the server runs, or after a
 * failover (D25).
 */
async function inspectAgain(link: Link): Promise<void> {
  if (link.redis.status !== 'ready') return
  try {
    link.unfit = await findFault(link)
    // The server is no longer the primary: the next connection looks it up again.
    if (link.unfit?.startsWith('it is a replica') === true) link.redis.disconnect(true)
  } catch {
    // The server does not answer, so other commands fail as well; the check is repeated later.
  }
}

/** The classes of ioredis that are used. */
interface Ioredis {
  readonly Redis: typeof Redis
  readonly AbstractConnector: typeof AbstractConnector
}

/** ioredis is an optional peer dependency: only users of Redis need it. */
async function importIoredis(): Promise<Ioredis> {
  try {
    const { Redis, AbstractConnector } = await import('ioredis')
    return { Redis, AbstractConnector }
  } catch (cause) {
    throw new Error('SERVICE_STORE=redis://… needs the package ioredis: npm install ioredis', { cause })
  }
}

function createClient({ Redis, AbstractConnector }: Ioredis, address: RedisAddress): Redis {
  return new Redis({
    ...(isLookedUp(address)
      ? { Connector: primaryConnector(Redis, AbstractConnector, address) }
      : address.servers[0]),
    db: address.database,
    ...loginOf(address),
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: SILENT_SOCKET_MS,
    retryStrategy: attempt => Math.min(attempt * 50, MAX_RECONNECT_DELAY_MS),
    // No command waits for a connection, and none is sent twice, because a claim might have arrived the first time.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // A server that is still loading refuses commands itself, which is sufficient.
    enableReadyCheck: false,
    // After a failover the old primary refuses writes, and after a move of the slot the old one refuses everything: the
    // primary is looked up again.
    reconnectOnError: error => /^(?:READONLY|MOVED|CLUSTERDOWN)\b/.test(error.message),
    protocol: 2,
  })
}

/**
 * The reason why this server must not store paid responses; undefined when it may. Rejects when the server does not
 * answer.
 */
async function findFault(link: Link): Promise<string | undefined> {
  const info = await askNow(link, () => link.redis.info())
  if (/^loading:1/m.test(info)) return 'it is still loading its data; try again'
  const isCluster = /^cluster_enabled:1/m.test(info)
  if (isCluster !== (link.address.place.kind === 'cluster'))
    return isCluster
      ? 'it is a Redis Cluster: add cluster=true'
      : 'it is no Redis Cluster: leave out cluster=true'
  // The only server that is named may be a replica for a while: it still has the answers that are asked for again.
  if (isLookedUp(link.address) && /^role:slave/m.test(info))
    return 'it is a replica now: its primary is looked up'
  const policy =
    /^maxmemory_policy:([\w-]+)/m.exec(info)?.[1] ?? (await askNow(link, () => readPolicy(link.redis)))
  if (policy === 'noeviction') return undefined
  return (
    `its maxmemory-policy is ${policy}, so it may drop paid responses; ` +
    'set it to noeviction, by redis-cli CONFIG SET maxmemory-policy noeviction and in redis.conf'
  )
}

/** Reads the setting from servers whose INFO does not contain it. */
async function readPolicy(redis: Redis): Promise<string> {
  const answer: unknown = await redis.config('GET', 'maxmemory-policy')
  const policy: unknown = Array.isArray(answer) ? answer[1] : undefined
  return typeof policy === 'string' ? policy : 'unknown'
}

/**
 * The error has no cause, because errors of ioredis contain the command's arguments, such as passwords and signatures.
 */
function unusable(address: RedisAddress, reason: string): Error {
  return new Error(`SERVICE_STORE=${address.name} cannot be used: ${reason}`)
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // A failed connection to a host with several addresses has only a code.
  return error.message === '' && 'code' in error ? String(error.code) : error.message
}
