import type { Redis } from 'ioredis'
import type { RedisAddress } from './redis-address.ts'

/**
 * A Redis that does not answer within this is as good as gone: the job is refused, nothing is charged (D25).
 */
const COMMAND_TIMEOUT_MS = 1_000
const CONNECT_TIMEOUT_MS = 3_000
/**
 * A connection that owes an answer for so long is dropped and replaced: its other end may have moved away.
 */
const SILENT_SOCKET_MS = 2_000
const MAX_RECONNECT_DELAY_MS = 1_000
/** So often the server's settings are inspected again. */
const INSPECT_EVERY_MS = 5_000

/** A connection on which whatever cannot be done at once fails. */
export interface RedisConnection {
  readonly redis: Redis
  /** Waits for the answer. Rejects with an error that names the store and holds no secret. */
  readonly ask: <Answer>(command: () => Promise<Answer>) => Promise<Answer>
  readonly close: () => Promise<void>
}

/**
 * Connects, and from then on reconnects in the background for as long as it is not closed. Rejects where the
 * first attempt fails, where ioredis is not installed, and where the server may evict keys or is a cluster; where that
 * becomes so later, nothing is asked of it any more until it is put right (D25).
 */
export async function connectRedis(address: RedisAddress): Promise<RedisConnection> {
  const redis = createClient(await importIoredis(), address)
  const link: Link = { address, redis, trouble: undefined, unfit: undefined, wasOpened: false }
  redis.on('error', (error: Error) => {
    link.trouble = messageOf(error)
  })
  redis.on('ready', () => {
    link.trouble = undefined
    // It may be another server by now, or one with other settings: nothing is asked of it before they are known.
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
      // Lets answers come in that are on their way; a connection that is down has none.
      await redis.quit().catch(() => redis.disconnect())
    },
  }
}

/** A connection, and what is known of it. */
interface Link {
  readonly address: RedisAddress
  readonly redis: Redis
  /** Why it is down, where it is. */
  trouble: string | undefined
  /** Why nothing may be asked of its server. */
  unfit: string | undefined
  wasOpened: boolean
}

async function askNow<Answer>(link: Link, command: () => Promise<Answer>): Promise<Answer> {
  try {
    return await command()
  } catch (error) {
    // Where the connection is down ioredis says so in its own terms, and may have given the reason before.
    const isUp = link.redis.status === 'ready'
    throw unusable(link.address, isUp ? messageOf(error) : (link.trouble ?? 'the connection was lost'))
  }
}

/** What keeps records from vanishing can be changed while the server runs, or differ after a failover (D25). */
async function inspectAgain(link: Link): Promise<void> {
  if (link.redis.status !== 'ready') return
  try {
    link.unfit = await findFault(link)
  } catch {
    // It does not answer: then no other command does, and this one is asked again.
  }
}

/** An optional peer: only those whose jobs lie in Redis need it. */
async function importIoredis(): Promise<typeof Redis> {
  try {
    return (await import('ioredis')).Redis
  } catch (cause) {
    throw new Error('SERVICE_STORE=redis://… needs the package ioredis: npm install ioredis', { cause })
  }
}

function createClient(Client: typeof Redis, address: RedisAddress): Redis {
  return new Client({
    host: address.host,
    port: address.port,
    db: address.database,
    ...(address.username !== undefined && { username: address.username }),
    ...(address.password !== undefined && { password: address.password }),
    ...(address.tls && { tls: {} }),
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: SILENT_SOCKET_MS,
    retryStrategy: attempt => Math.min(attempt * 50, MAX_RECONNECT_DELAY_MS),
    // No command waits for a connection, and none is sent twice: a claim might have arrived the first
    // time.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // A server that is still loading refuses each command by itself, which is what we want.
    enableReadyCheck: false,
    // After a failover the old primary takes no writes; the name may lead to the new one by now.
    reconnectOnError: error => error.message.startsWith('READONLY'),
    protocol: 2,
  })
}

/** Why this server must not keep paid responses; undefined where it may. Rejects where it does not answer. */
async function findFault(link: Link): Promise<string | undefined> {
  const info = await askNow(link, () => link.redis.info())
  if (/^loading:1/m.test(info)) return 'it is still loading its data; try again'
  if (/^cluster_enabled:1/m.test(info)) {
    return (
      'it is a Redis Cluster, which cannot claim a job and its payment in one step; ' +
      'use a single Redis, with replicas if you like'
    )
  }
  const policy =
    /^maxmemory_policy:([\w-]+)/m.exec(info)?.[1] ?? (await askNow(link, () => readPolicy(link.redis)))
  if (policy === 'noeviction') return undefined
  return (
    `its maxmemory-policy is ${policy}, so it may drop paid responses; ` +
    'set it to noeviction, by redis-cli CONFIG SET maxmemory-policy noeviction and in redis.conf'
  )
}

/** For servers whose INFO does not tell. */
async function readPolicy(redis: Redis): Promise<string> {
  const answer: unknown = await redis.config('GET', 'maxmemory-policy')
  const policy: unknown = Array.isArray(answer) ? answer[1] : undefined
  return typeof policy === 'string' ? policy : 'unknown'
}

/**
 * Without a cause: the errors of ioredis carry the command's arguments, passwords and signatures among them.
 */
function unusable(address: RedisAddress, reason: string): Error {
  return new Error(`SERVICE_STORE=${address.name} cannot be used: ${reason}`)
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // A name with several addresses fails with a code alone.
  return error.message === '' && 'code' in error ? String(error.code) : error.message
}
