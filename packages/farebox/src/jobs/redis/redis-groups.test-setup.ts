import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import { until } from '@farebox/protocol/src/test-setup/until'

const SERVER = '/usr/bin/redis-server'
const SLOTS = 16_384
const PRIMARIES = 3
/** How long a node may be silent before the others take it for dead. */
const NODE_TIMEOUT_MS = 500

/** Servers of Redis on loopback. */
export interface RedisGroup {
  /** What follows `redis://` in SERVICE_STORE, without parameters. */
  readonly servers: string
  readonly ports: readonly number[]
  /** Ends a server as a crash does. */
  kill(port: number): Promise<void>
  stop(): Promise<void>
}

interface Started extends RedisGroup {
  start(...words: readonly string[]): Promise<void>
}

/** Nothing but a folder and a list of servers. */
async function openGroup(count: number): Promise<Started & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-redis-'))
  const ports = await Promise.all(Array.from({ length: count }, freePort))
  const running = new Map<number, ChildProcess>()
  const kill = async (port: number): Promise<void> => {
    const child = running.get(port)
    running.delete(port)
    if (child === undefined || child.exitCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return {
    folder,
    ports,
    servers: ports.map(port => `127.0.0.1:${port}`).join(),
    async start(port = '', ...words) {
      const common = ['--port', port, '--bind', '127.0.0.1', '--dir', folder]
      running.set(Number(port), spawn(SERVER, [...words, ...common], { stdio: 'ignore' }))
      await until(async () => (await askOf(Number(port), 'PING').catch(() => undefined)) === 'PONG')
    },
    kill,
    async stop() {
      await Promise.all([...running.keys()].map(kill))
      await rm(folder, { recursive: true, force: true })
    },
  }
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
  /** The port of the primary of a key's slot. */
  primaryOf(key: string): Promise<number>
  /** Moves the slot of a key to another primary, key by key. */
  moveSlotOf(key: string): Promise<void>
}

/** Starts the cluster, and waits until every node says that it is whole. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const group = await openGroup(2 * PRIMARIES)
  const { ports } = group
  await Promise.all(
    ports.map(port =>
      group.start(
        String(port),
        '--cluster-enabled',
        'yes',
        '--cluster-config-file',
        `nodes-${port}.conf`,
        '--cluster-node-timeout',
        String(NODE_TIMEOUT_MS),
        '--save',
        '',
        '--dbfilename',
        `${port}.rdb`,
      ),
    ),
  )
  const primaries = ports.slice(0, PRIMARIES)
  const share = Math.ceil(SLOTS / PRIMARIES)
  for (const [at, port] of primaries.entries()) {
    const last = Math.min(SLOTS, (at + 1) * share) - 1
    await askOf(port, 'CLUSTER', 'ADDSLOTSRANGE', String(at * share), String(last))
  }
  for (const port of ports.slice(1)) await askOf(port, 'CLUSTER', 'MEET', '127.0.0.1', String(ports[0]))
  for (const [at, port] of ports.slice(PRIMARIES).entries()) {
    const id = String(await askOf(primaries[at] ?? 0, 'CLUSTER', 'MYID'))
    await until(async () => String(await askOf(port, 'CLUSTER', 'NODES')).includes(id))
    await askOf(port, 'CLUSTER', 'REPLICATE', id)
  }
  const isWhole = async (port: number): Promise<boolean> =>
    /cluster_state:ok[^]*cluster_known_nodes:6/.test(String(await askOf(port, 'CLUSTER', 'INFO')))
  for (const port of ports) await until(() => isWhole(port))
  for (const port of ports.slice(PRIMARIES))
    await until(async () => /master_link_status:up/.test(String(await askOf(port, 'INFO', 'replication'))))
  for (const port of primaries)
    await until(async () => /state=online/.test(String(await askOf(port, 'INFO', 'replication'))))
  const primaryOf = async (key: string): Promise<number> => {
    for (const port of ports) {
      const slot = Number(await askOf(port, 'CLUSTER', 'KEYSLOT', key).catch(() => -1))
      const ranges = await askOf(port, 'CLUSTER', 'SLOTS').catch(() => [])
      for (const [from, to, primary] of ranges as readonly [number, number, readonly [string, number]][])
        if (from <= slot && slot <= to) return primary[1]
    }
    throw new Error(`nobody has the slot of ${key}`)
  }
  return { ...group, primaryOf, moveSlotOf: key => moveSlot(primaryOf, primaries, key) }
}

async function moveSlot(
  primaryOf: RedisCluster['primaryOf'],
  primaries: readonly number[],
  key: string,
): Promise<void> {
  const source = await primaryOf(key)
  const target = primaries.find(port => port !== source) ?? 0
  const slot = String(await askOf(source, 'CLUSTER', 'KEYSLOT', key))
  const [sourceId, targetId] = [source, target].map(port => askOf(port, 'CLUSTER', 'MYID'))
  const ids = [String(await sourceId), String(await targetId)] as const
  await askOf(target, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', ids[0])
  await askOf(source, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', ids[1])
  for (;;) {
    const keys = (await askOf(source, 'CLUSTER', 'GETKEYSINSLOT', slot, '10')) as readonly string[]
    if (keys.length === 0) break
    await askOf(source, 'MIGRATE', '127.0.0.1', String(target), '', '0', '1000', 'KEYS', ...keys)
  }
  for (const port of [target, source]) await askOf(port, 'CLUSTER', 'SETSLOT', slot, 'NODE', ids[1])
}

/** A primary with a replica, and three Sentinels that agree on them. */
export interface RedisSentinels extends RedisGroup {
  /** The port of the primary, as a Sentinel says. */
  primary(): Promise<number>
}

/** The name that the Sentinels have for the primary. */
export const PRIMARY = 'mymaster'

/** Starts them; `servers` are the Sentinels. */
export async function startRedisSentinels(): Promise<RedisSentinels> {
  const group = await openGroup(5)
  const [first = 0, second = 0, ...sentinels] = group.ports
  await group.start(String(first), '--save', '', '--dbfilename', 'first.rdb')
  const follow = ['--replicaof', '127.0.0.1', String(first)]
  await group.start(String(second), '--save', '', '--dbfilename', 'second.rdb', ...follow)
  for (const port of sentinels) {
    const file = join(group.folder, `sentinel-${port}.conf`)
    const lines = [
      `sentinel monitor ${PRIMARY} 127.0.0.1 ${first} 2`,
      `sentinel down-after-milliseconds ${PRIMARY} ${NODE_TIMEOUT_MS}`,
      `sentinel failover-timeout ${PRIMARY} 2000`,
    ]
    await writeFile(file, `${lines.join('\n')}\n`)
    await group.start(String(port), file, '--sentinel')
  }
  const primary = async (): Promise<number> => {
    const found = await askOf(sentinels[0] ?? 0, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', PRIMARY)
    return Number((found as readonly string[])[1])
  }
  const knows = async (port: number, part: string, count: number): Promise<boolean> =>
    ((await askOf(port, 'SENTINEL', part, PRIMARY)) as readonly unknown[]).length === count
  for (const port of sentinels) {
    await until(() => knows(port, 'REPLICAS', 1))
    await until(() => knows(port, 'SENTINELS', 2))
  }
  return { ...group, servers: sentinels.map(port => `127.0.0.1:${port}`).join(), primary }
}

/** As docs/operating-an-agent.md says. */
const RIGHTS = '~farebox:* +@read +@write +@scripting +info +time +wait'

/** Starts a server with TLS alone and a user with the documented rights; `setting` is its SERVICE_STORE. */
export async function startSecureRedis(): Promise<{
  readonly setting: string
  readonly authorityFile: string
  stop(): Promise<void>
}> {
  const group = await openGroup(1)
  const [port = 0] = group.ports
  const file = (name: string): string => join(group.folder, name)
  const openssl = async (...words: readonly string[]): Promise<unknown> =>
    await promisify(execFile)('openssl', [...words], { cwd: group.folder })
  await openssl(
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
    '-subj',
    '/CN=authority',
  )
  await openssl(
    'req',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    'server.key',
    '-out',
    'server.csr',
    '-subj',
    '/CN=localhost',
  )
  await writeFile(file('names'), 'subjectAltName=DNS:localhost\n')
  await openssl(
    'x509',
    '-req',
    '-in',
    'server.csr',
    '-CA',
    'ca.crt',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-days',
    '2',
    '-extfile',
    'names',
    '-out',
    'server.crt',
  )
  await writeFile(file('redis.conf'), `user default off\nuser agent on >of-agents ${RIGHTS}\n`)
  const tls = ['--tls-port', String(port), '--port', '0', '--tls-auth-clients', 'no', '--save', '']
  const files = [
    '--tls-cert-file',
    'server.crt',
    '--tls-key-file',
    'server.key',
    '--tls-ca-cert-file',
    'ca.crt',
  ]
  const child = spawn(
    SERVER,
    [file('redis.conf'), '--dir', group.folder, '--bind', '127.0.0.1', ...tls, ...files],
    {
      cwd: group.folder,
      stdio: 'ignore',
    },
  )
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

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return address.port
}
