import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '@farebox/protocol/src/test-setup/until'
import { findLastingPort } from '@farebox/protocol/src/test-setup/lasting-port'
import { askDatabase } from '../../storms/stage/ask-database.ts'
import type { StoreBase } from '../../storms/stage/stage.ts'
import { createNode, type PatroniNode } from './patroni-node.ts'
import type { Programs } from './find-programs.ts'
import { startPgBouncer } from './start-pgbouncer.ts'
import { startProgram } from './start-program.ts'

/** Two PostgreSQL servers under Patroni, with synchronous replication, and two routes to the primary. */
export interface Cluster {
  /** Through HAProxy. */
  readonly url: string
  /** Through PgBouncer in transaction mode, and then HAProxy. */
  readonly pooledUrl: string
  /**
   * SIGKILL to the primary's server, or to its Patroni as well, or SIGTERM to its Patroni, which hands over first. Resolves
   * once the other one accepts writes, to the elapsed milliseconds.
   */
  killPrimary(victim: 'server' | 'machine' | 'stopped'): Promise<number>
  /** SIGKILL to the standby's server and to its Patroni. */
  killStandby(): Promise<void>
  /** Restarts the ended processes, and resolves once the server is the synchronous standby. */
  restore(): Promise<void>
}

/**
 * Starts the cluster. Resolves once the standby is synchronous.
 *
 * @param address - the address on which every server listens for clients
 */
export async function startCluster(
  programs: Programs,
  { folder: parent, onStrike, manage }: StoreBase,
  address = '127.0.0.1',
): Promise<Cluster> {
  const folder = join(parent, 'cluster')
  await mkdir(folder)
  await chmod(folder, 0o777)
  const etcdPort = await startEtcd(programs, folder, manage)
  const create = async (name: string): Promise<PatroniNode> => {
    const ports = [await findLastingPort(), await findLastingPort()] as const
    const { patroni: patroniPath, binaries } = programs
    const node = await createNode({ name, folder, ports, address, etcdPort, patroniPath, binaries })
    onStrike(node.stop)
    return node
  }
  const nodes = [await create('one'), await create('two')]
  // One after the other: the first creates the database, the second copies it.
  for (const node of nodes) await node.start()
  const port = await startHaProxy(programs, { folder, address }, nodes, manage)
  const url = `postgres://farebox@${address}:${port}/postgres`
  await until(() => isSynchronous(url).catch(() => false))
  await askDatabase(url, `alter role farebox in database postgres set statement_timeout = '10s'`)
  const pooled = {
    path: programs.pgbouncer,
    folder,
    address,
    port: await findLastingPort(),
    databaseUrl: url,
  }
  const pooler = await manage('other', 'pgbouncer', () => startPgBouncer(pooled))
  const killed = new Set<PatroniNode>()
  return {
    url,
    pooledUrl: pooler.url,
    async killPrimary(victim) {
      const primary = await findPrimary(nodes)
      const atMs = performance.now()
      if (victim === 'server') await primary.killServer()
      else {
        killed.add(primary)
        await (victim === 'machine' ? primary.killAll() : primary.stop())
      }
      await until(async () => {
        const next = nodes.find(node => node !== primary)
        return (await next?.isPrimary()) === true && (await takesWrites(url))
      })
      return Math.round(performance.now() - atMs)
    },
    async killStandby() {
      const primary = await findPrimary(nodes)
      for (const node of nodes.filter(one => one !== primary)) {
        killed.add(node)
        await node.killAll()
      }
    },
    async restore() {
      for (const node of killed) await node.start()
      killed.clear()
      await until(() => isSynchronous(url).catch(() => false))
    },
  }
}

type Manage = StoreBase['manage']

async function startEtcd({ etcd }: Programs, folder: string, manage: Manage): Promise<number> {
  const [port, peerPort] = [await findLastingPort(), await findLastingPort()]
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`]
  const program = {
    name: 'etcd',
    path: etcd,
    arguments: flags({
      name: 'one',
      'data-dir': join(folder, 'etcd'),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `one=${peer}`,
    }),
    ready: 'ready to serve client requests|serving insecure client requests',
    logFile: join(folder, 'etcd.log'),
  }
  await manage('other', 'etcd', () => startProgram(program))
  return port
}

function flags(values: { readonly [name: string]: string }): readonly string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`)
}

/** Forwards to the server that Patroni reports as the primary; connections to another one are cut. */
async function startHaProxy(
  { haproxy }: Programs,
  { folder, address }: { readonly folder: string; readonly address: string },
  nodes: readonly PatroniNode[],
  manage: Manage,
): Promise<number> {
  const port = await findLastingPort()
  const file = join(folder, 'haproxy.cfg')
  const servers = nodes.map(
    ({ name, port, restPort }) => `  server ${name} ${address}:${port} check port ${restPort}`,
  )
  await writeFile(
    file,
    `global
  log stdout format raw local0
defaults
  mode tcp
  timeout connect 2s
  timeout check 2s
  timeout client 1h
  timeout server 1h
listen primary
  log global
  bind ${address}:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`,
  )
  const program = {
    name: 'HAProxy',
    path: haproxy,
    arguments: ['-db', '-f', file],
    // HAProxy reports nothing before it has asked both, and one of them is not a primary.
    ready: 'is DOWN',
    logFile: join(folder, 'haproxy.log'),
  }
  await manage('other', 'database-haproxy', () => startProgram(program))
  return port
}

async function findPrimary(nodes: readonly PatroniNode[]): Promise<PatroniNode> {
  return await until(async () => {
    for (const node of nodes) if (await node.isPrimary()) return node
    return undefined
  })
}

async function isSynchronous(url: string): Promise<boolean> {
  const [row] = await askDatabase<{ readonly count: number }>(
    url,
    `select count(*)::integer as count from pg_stat_replication where sync_state = 'sync'`,
  )
  return row?.count === 1
}

async function takesWrites(url: string): Promise<boolean> {
  const rows = await askDatabase(url, 'select 1 where not pg_is_in_recovery()').catch(() => [])
  return rows.length === 1
}
