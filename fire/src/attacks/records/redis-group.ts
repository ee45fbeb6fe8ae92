import { join } from 'node:path'
import { until } from '@farebox/protocol/src/test-setup/until'
import { Redis } from 'ioredis'
import type { Stage } from '../../../../e2e/stage/stage.ts'
import { findLastingPort } from '@farebox/protocol/src/test-setup/lasting-port'
import { startRedis } from '../../storms/stage/start-redis.ts'

/** Three Redis servers, the first of which is the primary. */
export interface RedisGroup {
  /** Of the first and of the second server. */
  readonly ports: readonly [number, number]
  /**
   * The other two lose sight of the first, and the second becomes their primary: what is written to the first from now
   * on is known to it alone.
   */
  split(): Promise<void>
  /** The first takes over what the second has, and is the primary of all again: what it alone had is gone. */
  rejoin(): Promise<void>
}

/** Starts them; resolves when both replicas follow the first. The stage stops them. */
export async function startRedisGroup({ folder, onStrike }: Stage): Promise<RedisGroup> {
  const start = async (): Promise<{ readonly port: number; readonly admin: Redis }> => {
    const port = await findLastingPort()
    const server = await startRedis({ folder: join(folder, `redis-${port}`), port })
    onStrike(server.stop)
    const admin = new Redis(port)
    onStrike(() => Promise.resolve(admin.disconnect()))
    // Five seconds otherwise, before a replica gets anything.
    await admin.config('SET', 'repl-diskless-sync-delay', '0')
    return { port, admin }
  }
  const [one, two, three] = await Promise.all([start(), start(), start()])
  const replicate = async (primary: typeof one, replicas: readonly (typeof one)[]): Promise<void> => {
    await primary.admin.replicaof('NO', 'ONE')
    for (const { admin } of replicas) await admin.replicaof('127.0.0.1', primary.port)
    await until(async () => {
      const info = await primary.admin.info('replication')
      return (info.match(/state=online/g) ?? []).length === replicas.length
    })
  }
  await replicate(one, [two, three])
  return {
    ports: [one.port, two.port],
    split: () => replicate(two, [three]),
    async rejoin() {
      await replicate(two, [one, three])
      await replicate(one, [two, three])
    },
  }
}
