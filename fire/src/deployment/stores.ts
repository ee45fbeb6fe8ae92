import { mkdir, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { RunningChild } from '@farebox/local/src/processes/child-process'
import { until } from '@farebox/protocol/src/test-setup/until'
import { Redis } from 'ioredis'
import { findLastingPort } from '../storms/stage/lasting-ports.ts'
import type { StoreBase } from '../storms/stage/stage.ts'
import { startRedis } from '../storms/stage/start-redis.ts'
import { startWithUs } from '../storms/stage/start-with-us.ts'

/** A Redis with Sentinels, outside of the containers. */
export interface RedisGroup {
  /** As agents are given it. */
  readonly address: string
  /** The server that the Sentinels call the primary: its name, and its address for a client. */
  findPrimary(): Promise<{ readonly name: string; readonly url: string }>
}

const GROUP = 'farebox'
const SERVERS = 3
/** Of the Sentinels, for which the primary is down before it is replaced. */
const QUORUM = 2

/** Starts a primary, two replicas and three Sentinels, each a process that can be ended, and waits until they agree. */
export async function startRedisGroup({ folder, manage }: StoreBase, host: string): Promise<RedisGroup> {
  const ports = await Promise.all(Array.from({ length: SERVERS }, findLastingPort))
  const [first = 0] = ports
  for (const [index, port] of ports.entries()) {
    const name = `redis-${index + 1}`
    const replica = index === 0 ? [] : ['--replicaof', host, String(first)]
    const settings = ['--protected-mode', 'no', ...replica]
    await manage('redis', name, () =>
      startRedis({ folder: join(folder, name), port, address: host, settings }),
    )
  }
  const sentinels = await Promise.all(Array.from({ length: SERVERS }, findLastingPort))
  for (const [index, port] of sentinels.entries()) {
    const name = `sentinel-${index + 1}`
    await manage('other', name, () => startSentinel(join(folder, name), { host, port, first }))
  }
  const findPrimary = async (): Promise<{ readonly name: string; readonly url: string }> => {
    const port = await until(() => askSentinels(host, sentinels).catch(() => undefined))
    return { name: `redis-${ports.indexOf(port) + 1}`, url: `redis://${host}:${port}/0` }
  }
  await until(() => hasReplicas(host, first).catch(() => false))
  const servers = sentinels.map(port => `${host}:${port}`).join(',')
  return { address: `redis://${servers}/0?sentinel=${GROUP}&replicas=1&prefix=agent`, findPrimary }
}

/** What a Sentinel learns it writes into its file, and goes on with it. */
async function startSentinel(
  folder: string,
  { host, port, first }: { readonly host: string; readonly port: number; readonly first: number },
): Promise<RunningChild<true>> {
  const file = join(folder, 'sentinel.conf')
  await mkdir(folder, { recursive: true })
  const lines = [
    `port ${port}`,
    `bind ${host}`,
    'protected-mode no',
    `dir ${folder}`,
    `sentinel monitor ${GROUP} ${host} ${first} ${QUORUM}`,
    `sentinel down-after-milliseconds ${GROUP} 3000`,
    `sentinel failover-timeout ${GROUP} 10000`,
  ]
  if (!existsSync(file)) await writeFile(file, lines.map(line => `${line}\n`).join(''))
  return await startWithUs({
    command: 'redis-server',
    arguments: [file, '--sentinel'],
    environment: { PATH: process.env['PATH'] ?? '' },
    ready: '\\+monitor master',
  })
}

/** The port that most of the Sentinels name. */
async function askSentinels(host: string, ports: readonly number[]): Promise<number | undefined> {
  const named = await Promise.all(
    ports.map(port =>
      ask(host, port, client => client.call('sentinel', 'get-master-addr-by-name', GROUP)).catch(
        () => undefined,
      ),
    ),
  )
  const primaries = named.map(answer => (Array.isArray(answer) ? Number(answer[1]) : 0))
  return primaries.find(one => one > 0 && primaries.filter(other => other === one).length >= QUORUM)
}

async function hasReplicas(host: string, port: number): Promise<boolean> {
  const text = await ask(host, port, client => client.info('replication'))
  return text.includes(`connected_slaves:${SERVERS - 1}`) && !text.includes('state=wait_bgsave')
}

async function ask<T>(host: string, port: number, question: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis({
    host,
    port,
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: 1_000,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await question(client)
  } finally {
    client.disconnect()
  }
}
