import { createConnection, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { AbstractConnector, Redis } from 'ioredis'
import type { RedisAddress, RedisServer } from './redis-address.ts'

/** The time limits of a question about the primary: one server that does not answer must not hold up the others. */
const ASK_CONNECT_MS = 1_500
const ASK_COMMAND_MS = 1_000

/** Whether the primary has to be looked up; otherwise the only named server is used. */
export function isLookedUp({ servers, place }: RedisAddress): boolean {
  return place.kind !== 'servers' || servers.length > 1
}

/**
 * Makes the class by which a client connects to the primary, which it looks up for each connection. The client is
 * connected to one server at a time, so that a script is whole there and `WAIT` counts its own writes. All keys of an
 * agent are in one slot of a cluster, so it needs no other server; a redirection ends the connection.
 */
export function primaryConnector(
  Client: typeof Redis,
  Base: typeof AbstractConnector,
  address: RedisAddress,
): new (options: unknown) => AbstractConnector {
  return class PrimaryConnector extends Base {
    constructor() {
      super(ASK_CONNECT_MS)
    }

    override async connect(): Promise<Socket> {
      this.connecting = true
      const server = await findPrimary(Client, address)
      // The word by which ioredis knows that the client was closed meanwhile.
      if (!this.connecting) throw new Error('Connection is closed.')
      const stream = address.tls
        ? connectTls({ ...server, servername: server.host })
        : createConnection(server)
      this.stream = stream
      stream.once('error', (error: Error) => {
        this.firstError = error
      })
      return stream
    }
  }
}

/** Login and TLS of a server, as options of ioredis. */
export function loginOf({ username, password, tls }: RedisAddress): {
  readonly username?: string
  readonly password?: string
  readonly tls?: object
} {
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: {} }),
  }
}

/** Asks the servers in their order. Rejects, with the reason of the last one, when none knows the primary. */
async function findPrimary(Client: typeof Redis, address: RedisAddress): Promise<RedisServer> {
  let reason = 'no server was asked'
  for (const server of address.servers) {
    const client = new Client({
      ...server,
      ...(address.place.kind === 'sentinel' ? address.tls && { tls: {} } : loginOf(address)),
      lazyConnect: true,
      connectTimeout: ASK_CONNECT_MS,
      commandTimeout: ASK_COMMAND_MS,
      retryStrategy: () => null,
      maxRetriesPerRequest: 0,
      enableReadyCheck: false,
      protocol: 2,
    })
    client.on('error', (error: Error) => {
      reason = error.message
    })
    try {
      await client.connect()
      const found = await askForPrimary(client, address, server)
      if (typeof found === 'object') return found
      reason = found
    } catch (error) {
      if (error instanceof Error && error.message !== '' && error.message !== 'Connection is closed.')
        reason = error.message
    } finally {
      client.disconnect()
    }
  }
  throw new Error(`no primary was found: ${reason}`)
}

/** The primary, or the reason why this server does not know it. */
async function askForPrimary(
  client: Redis,
  { place, prefix }: RedisAddress,
  asked: RedisServer,
): Promise<RedisServer | string> {
  if (place.kind === 'servers')
    return /^role:master/m.test(await client.info('replication')) ? asked : 'it is a replica'
  if (place.kind === 'sentinel') {
    const found: unknown = await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', place.primary)
    return readServer(found, asked) ?? `the Sentinel knows no primary called ${place.primary}`
  }
  const slot = Number(await client.call('CLUSTER', 'KEYSLOT', prefix))
  const ranges: unknown = await client.call('CLUSTER', 'SLOTS')
  const range = Array.isArray(ranges)
    ? ranges.find((one: unknown) => Array.isArray(one) && one[0] <= slot && slot <= one[1])
    : undefined
  return readServer(range?.[2], asked) ?? `no node of the cluster has slot ${slot}`
}

/** Reads `[host, port, …]`; a node that does not know its own address is where it was asked. */
function readServer(found: unknown, asked: RedisServer): RedisServer | undefined {
  if (!Array.isArray(found)) return undefined
  const [host, port] = found as readonly unknown[]
  const isNamed = typeof host === 'string' && host !== '' && host !== '?'
  return { host: isNamed ? host : asked.host, port: Number(port) }
}
