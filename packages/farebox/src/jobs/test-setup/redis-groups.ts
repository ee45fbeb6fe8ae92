import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { endWithUs } from '@farebox/local/src/processes/end-with-us'
import { findLastingPort } from '@farebox/protocol/src/test-setup/lasting-port'
import { until } from '@farebox/protocol/src/test-setup/until'
import { Redis } from 'ioredis'

const SERVER = '/usr/bin/redis-server'
const SLOTS = 16_384
const PRIMARIES = 3
/** The time after which the other nodes consider a silent node dead. */
const NODE_TIMEOUT_MS = 500

/** Servers of Redis on loopback; they end with this process. */
export interface RedisGroup {
  /** The part after `redis://` in SERVICE_STORE, without parameters. */
  readonly servers: string
  readonly ports: readonly number[]
  /** The port of the primary that has a key. */
  primaryOf(key: string): Promise<number>
  /** Ends a server like a crash. */
  kill(port: number): Promise<void>
  /** Restarts a server that was killed and replaced, on its data; resolves once its primary has it as a replica. */
  rejoin(port: number): Promise<void>
  stop(): Promise<void>
}

interface Started extends Omit<RedisGroup, 'primaryOf'> {
  start(port: number, ...words: readonly string[]): Promise<void>
  isRunning(port: number): boolean
  /** The folder of a server, which exists before it starts. */
  folderOf(port: number): string
}

/** Only folders and a list of servers. */
async function openGroup(count: number, host = '127.0.0.1'): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-redis-'))
  const folderOf = (port: number): string => join(folder, String(port))
  const ports = await findPorts(count)
  for (const port of ports) await mkdir(folderOf(port))
  const running = new Map<number, ChildProcess>()
  const wordsOf = new Map<number, readonly string[]>()
  const start: Started['start'] = async (port, ...words) => {
    wordsOf.set(port, words)
    const bind = ['--bind', ...new Set(['127.0.0.1', host]), '--protected-mode', 'no']
    const common = ['--port', String(port), ...bind, '--dir', folderOf(port)]
    const child = spawn(SERVER, [...words, ...common], { stdio: 'ignore' })
    running.set(port, child)
    child.once('exit', endWithUs(child.pid ?? 0))
    await until(async () => (await askOf(port, 'PING').catch(() => undefined)) === 'PONG')
  }
  const kill = async (port: number): Promise<void> => {
    const child = running.get(port)
    running.delete(port)
    if (child === undefined || child.exitCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return {
    ports,
    folderOf,
    servers: ports.map(port => `${host}:${port}`).join(),
    isRunning: port => running.has(port),
    start,
    kill,
    async rejoin(port) {
      await start(port, ...(wordsOf.get(port) ?? []))
      await until(async () => {
        const [, primary] = /role:slave[^]*master_port:(\d+)/.exec(await replicationOf(port)) ?? []
        return primary !== undefined && hasReplica(Number(primary), port)
      })
    },
    async stop() {
      await Promise.all([...running.keys()].map(kill))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function findPorts(count: number): Promise<readonly number[]> {
  const ports: number[] = []
  while (ports.length < count) ports.push(await findLastingPort())
  return ports
}

async function replicationOf(port: number): Promise<string> {
  return String(await askOf(port, 'INFO', 'replication').catch(() => ''))
}

async function hasReplica(primary: number, replica: number): Promise<boolean> {
  return new RegExp(`port=${replica},state=online`).test(await replicationOf(primary))
}

/** Sends one command to the server at a port. */
export async function askOf(port: number, ...[name = '', ...rest]: readonly string[]): Promise<unknown> {
  const client = new Redis(port, '127.0.0.1', {
    lazyConnect: true,
    retryStrategy: () => null,
    enableReadyCheck: false,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await client.call(name, ...rest)
  } finally {
    client.disconnect()
  }
}

/** A cluster of three primaries with a replica each. */
export interface RedisCluster extends RedisGroup {
  /** Moves the slot of a key to another primary, key by key; resolves once its replica has all, and every node knows. */
  moveSlotOf(key: string): Promise<void>
}

/** Data survives a crash; a replica is served at once. */
const SETTINGS = ['--save', '', '--appendonly', 'yes', '--repl-diskless-sync-delay', '0']

/** Starts the cluster, and waits until every node reports that it is complete. */
export async function startRedisCluster(nodeTimeoutMs = NODE_TIMEOUT_MS): Promise<RedisCluster> {
  const group = await openGroup(2 * PRIMARIES)
  const { ports } = group
  const busPorts = await findPorts(ports.length)
  const start = (port: number, at: number): Promise<void> => {
    const words = ['--cluster-node-timeout', String(nodeTimeoutMs), '--cluster-port', String(busPorts[at])]
    return group.start(port, '--cluster-enabled', 'yes', ...words, ...SETTINGS)
  }
  await Promise.all(ports.map(start))
  const primaries = ports.slice(0, PRIMARIES)
  const share = Math.ceil(SLOTS / PRIMARIES)
  for (const [at, port] of primaries.entries()) {
    const last = Math.min(SLOTS, (at + 1) * share) - 1
    await askOf(port, 'CLUSTER', 'ADDSLOTSRANGE', String(at * share), String(last))
  }
  for (const port of ports.slice(1))
    await askOf(port, 'CLUSTER', 'MEET', '127.0.0.1', String(ports[0]), String(busPorts[0]))
  for (const [at, port] of ports.slice(PRIMARIES).entries()) {
    const id = String(await askOf(primaries[at] ?? 0, 'CLUSTER', 'MYID'))
    await until(async () => String(await askOf(port, 'CLUSTER', 'NODES')).includes(id))
    await askOf(port, 'CLUSTER', 'REPLICATE', id)
    await until(() => hasReplica(primaries[at] ?? 0, port))
  }
  const isWhole = async (port: number): Promise<boolean> =>
    /cluster_state:ok[^]*cluster_known_nodes:6/.test(String(await askOf(port, 'CLUSTER', 'INFO')))
  for (const port of ports) await until(() => isWhole(port))
  const primaryOf = async (key: string): Promise<number> => {
    for (const port of ports.filter(group.isRunning)) {
      const { owner } = await readSlot(port, key).catch(() => ({ owner: undefined }))
      if (owner !== undefined) return owner
    }
    throw new Error(`nobody has the slot of ${key}`)
  }
  return { ...group, primaryOf, moveSlotOf: async key => await moveSlot(group, await primaryOf(key), key) }
}

/** A node's view of the slot of a key, and the ports of the primaries. */
async function readSlot(asked: number, key: string) {
  const slot = Number(await askOf(asked, 'CLUSTER', 'KEYSLOT', key))
  const ranges = (await askOf(asked, 'CLUSTER', 'SLOTS')) as readonly [number, number, [string, number]][]
  const owner = ranges.find(([from, to]) => from <= slot && slot <= to)?.[2][1]
  return { slot: String(slot), owner, primaries: ranges.map(([, , [, port]]) => port) }
}

async function moveSlot({ ports, isRunning }: Started, source: number, key: string): Promise<void> {
  const { slot, primaries } = await readSlot(source, key)
  const target = primaries.find(port => port !== source) ?? 0
  const [sourceId, targetId] = [source, target].map(port => askOf(port, 'CLUSTER', 'MYID'))
  const ids = [String(await sourceId), String(await targetId)] as const
  await askOf(target, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', ids[0])
  await askOf(source, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', ids[1])
  for (;;) {
    const keys = (await askOf(source, 'CLUSTER', 'GETKEYSINSLOT', slot, '10')) as readonly string[]
    if (keys.length === 0) break
    await askOf(source, 'MIGRATE', '127.0.0.1', String(target), '', '0', '10000', 'KEYS', ...keys)
  }
  for (const port of [target, source]) await askOf(port, 'CLUSTER', 'SETSLOT', slot, 'NODE', ids[1])
  for (const port of ports.filter(isRunning))
    await until(async () => (await readSlot(port, key)).owner === target)
  // No WAIT covers moved keys.
  const [, written = ''] = /master_repl_offset:(\d+)/.exec(await replicationOf(target)) ?? []
  await until(async () => {
    const [, copied] = /state=online,offset=(\d+)/.exec(await replicationOf(target)) ?? []
    return Number(copied ?? written) >= Number(written)
  })
}

/** A primary with a replica, and three Sentinels that agree on them. */
export interface RedisSentinels extends RedisGroup {
  /** Like a server behind a Sentinel: it has all keys. */
  primaryOf(): Promise<number>
  /** Ends one of the Sentinels as a crash does, and starts it again. */
  restartSentinel(): Promise<void>
  /** Ends the replica as a crash does, and starts it again; resolves once it is one. */
  restartReplica(): Promise<void>
}

/** The name that the Sentinels have for the primary. */
export const PRIMARY = 'mymaster'

/** Starts them, on a further address where one is given; `servers` are the Sentinels. */
export async function startRedisSentinels(
  nodeTimeoutMs = NODE_TIMEOUT_MS,
  host = '127.0.0.1',
): Promise<RedisSentinels> {
  const group = await openGroup(5, host)
  const [first = 0, second = 0, ...sentinels] = group.ports
  await group.start(first, ...SETTINGS)
  await group.start(second, ...SETTINGS, '--replicaof', host, String(first))
  const fileOf = (port: number): string => join(group.folderOf(port), 'sentinel.conf')
  for (const port of sentinels) {
    const lines = [
      `sentinel monitor ${PRIMARY} ${host} ${first} 2`,
      `sentinel down-after-milliseconds ${PRIMARY} ${nodeTimeoutMs}`,
      `sentinel failover-timeout ${PRIMARY} 2000`,
    ]
    await writeFile(fileOf(port), `${lines.join('\n')}\n`)
    await group.start(port, fileOf(port), '--sentinel')
  }
  const primaryOf = async (): Promise<number> => {
    const found = await askOf(sentinels[0] ?? 0, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', PRIMARY)
    return Number((found as readonly string[])[1])
  }
  const knows = async (port: number, part: string, count: number): Promise<boolean> =>
    ((await askOf(port, 'SENTINEL', part, PRIMARY)) as readonly unknown[]).length === count
  for (const port of sentinels) {
    await until(() => knows(port, 'REPLICAS', 1))
    await until(() => knows(port, 'SENTINELS', 2))
  }
  return {
    ...group,
    servers: sentinels.map(port => `${host}:${port}`).join(),
    primaryOf,
    async restartSentinel() {
      // The first one is asked for the primary.
      const [, port = 0] = sentinels
      await group.kill(port)
      await group.start(port, fileOf(port), '--sentinel')
    },
    async restartReplica() {
      const replica = (await primaryOf()) === first ? second : first
      await group.kill(replica)
      await group.rejoin(replica)
    },
  }
}

/** The settings in docs/operating-an-agent.md. */
const RIGHTS = '~farebox:* +@read +@write +@scripting +info +time +wait'

/** Starts a server with TLS only and a user with the documented rights; `setting` is its SERVICE_STORE. */
export async function startSecureRedis(): Promise<{
  readonly setting: string
  readonly authorityFile: string
  stop(): Promise<void>
}> {
  const group = await openGroup(1)
  const [port = 0] = group.ports
  const file = (name: string): string => join(group.folderOf(port), name)
  const openssl = async (words: string): Promise<unknown> =>
    await promisify(execFile)('openssl', words.split(' '), { cwd: group.folderOf(port) })
  await openssl('req -x509 -newkey rsa:2048 -nodes -days 2 -keyout ca.key -out ca.crt -subj /CN=authority')
  await openssl('req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=localhost')
  await writeFile(file('names'), 'subjectAltName=DNS:localhost\n')
  const signed = '-days 2 -extfile names -out server.crt'
  await openssl(`x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial ${signed}`)
  await writeFile(file('redis.conf'), `user default off\nuser agent on >of-agents ${RIGHTS}\n`)
  const tls = `--tls-port ${port} --port 0 --bind 127.0.0.1 --tls-auth-clients no --save `
  const files = '--tls-cert-file server.crt --tls-key-file server.key --tls-ca-cert-file ca.crt'
  const words = [file('redis.conf'), '--dir', group.folderOf(port), ...`${tls} ${files}`.split(' ')]
  const child = spawn(SERVER, words, { cwd: group.folderOf(port), stdio: 'ignore' })
  await until(() => isListening(port))
  return {
    setting: `rediss://agent:of-agents@localhost:${port}/0`,
    authorityFile: file('ca.crt'),
    async stop() {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      await group.stop()
    },
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
