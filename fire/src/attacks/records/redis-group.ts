import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { findLastingPort } from '../../storms/stage/lasting-ports.ts'
import { startRedis } from '../../storms/stage/start-redis.ts'
import { until } from '@farebox/protocol/src/test-setup/until'
import type { PaidScene } from '../stage/paid-scene.ts'

/** Three Redis servers, the first of which is the primary, and a name for whichever is. */
export interface RedisGroup {
  /** Leads to the primary, as a DNS name or a proxy does. */
  readonly port: number
  /** Each server's own. */
  readonly ports: readonly [number, number, number]
  /**
   * The other two lose sight of the first, and the second becomes their primary: what is written to the first from now
   * on is known to it alone.
   */
  split(): Promise<void>
  /** Connections by the name lead to the second server; those that there are end. */
  leadToSecond(): void
  /** The first server dies. */
  killFirst(): Promise<void>
  /** The first server is made a replica of the second: what it alone had is gone. */
  rejoinFirst(): Promise<void>
  stop(): Promise<void>
}

/** A group, and whether agents on it wait until a replica has what they write. */
export interface RedisMode {
  readonly group: RedisGroup
  readonly where: string
  /** Of the store's URL. */
  readonly parameters: string
  readonly isWaitedFor: boolean
}

/** Plays at the same time with two groups: agents on one wait for a replica, those on the other do not. */
export async function inBothModes<Seen>(
  { stage }: PaidScene,
  play: (mode: RedisMode) => Promise<Seen>,
): Promise<readonly Seen[]> {
  const modes = [
    { where: 'no replicas asked for', parameters: '', isWaitedFor: false },
    { where: 'replicas=1', parameters: '?replicas=1', isWaitedFor: true },
  ]
  return await Promise.all(
    modes.map(async mode => {
      const group = await startRedisGroup(stage.folder)
      // After the agents, which save what they have.
      stage.onStrike(group.stop)
      return await play({ ...mode, group })
    }),
  )
}

/** Starts them; resolves when both replicas follow the first. */
async function startRedisGroup(folder: string): Promise<RedisGroup> {
  const ports = [await findLastingPort(), await findLastingPort(), await findLastingPort()] as const
  const [first, second, third] = ports
  const servers = await Promise.all(
    ports.map(port => startRedis({ folder: join(folder, `redis-${port}`), port })),
  )
  const [one, two, three] = [new Redis(first), new Redis(second), new Redis(third)]
  for (const admin of [one, two, three]) {
    admin.on('error', () => undefined)
    // Five seconds otherwise, before a replica gets anything.
    await admin.config('SET', 'repl-diskless-sync-delay', '0')
  }
  const name = await startName(first)
  await two.replicaof('127.0.0.1', first)
  await three.replicaof('127.0.0.1', first)
  await untilFollowed(one, 2)
  return {
    port: name.port,
    ports,
    async split() {
      await two.replicaof('NO', 'ONE')
      await three.replicaof('127.0.0.1', second)
      await untilFollowed(two, 1)
    },
    leadToSecond: () => name.leadTo(second),
    async killFirst() {
      one.disconnect()
      await servers[0]?.kill()
    },
    async rejoinFirst() {
      await one.replicaof('127.0.0.1', second)
      await untilFollowed(two, 2)
    },
    async stop() {
      for (const admin of [one, two, three]) admin.disconnect()
      await name.stop()
      await Promise.all(servers.map(server => server.stop()))
    },
  }
}

async function untilFollowed(primary: Redis, replicas: number): Promise<void> {
  const pattern = new RegExp(`connected_slaves:${replicas}\\b`)
  await until(async () => {
    const info = await primary.info('replication')
    return pattern.test(info) && (info.match(/state=online/g) ?? []).length === replicas
  })
}

interface Name {
  readonly port: number
  leadTo(port: number): void
  stop(): Promise<void>
}

async function startName(target: number): Promise<Name> {
  let leadsTo = target
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    return socket
  }
  const server = createServer(caller => {
    const called = keep(connect(leadsTo, '127.0.0.1'))
    keep(caller).pipe(called).pipe(caller)
    caller.once('close', () => called.destroy())
    called.once('close', () => caller.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const end = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(port) {
      leadsTo = port
      end()
    },
    async stop() {
      end()
      server.close()
      await once(server, 'close')
    },
  }
}
