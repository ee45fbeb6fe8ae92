import { mkdir, chown, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunningChild } from '@farebox/local/src/processes/child-process'
import { killFamily } from '../../storms/stage/process-family.ts'
import { NOBODY, startProgram } from './start-program.ts'

/** A PostgreSQL server and the Patroni that manages it. */
export interface PatroniNode {
  readonly name: string
  readonly port: number
  /** The URL at which Patroni reports whether this server is the primary. */
  readonly restPort: number
  isPrimary(): Promise<boolean>
  /** SIGKILL to the server and all its processes; Patroni continues. */
  killServer(): Promise<void>
  /** SIGKILL to Patroni, and then as {@link killServer}: the effect of a power cut. */
  killAll(): Promise<void>
  /** Starts Patroni, which starts the server or copies the primary's data. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** The options of a node. */
export interface NodeOptions {
  readonly name: string
  readonly folder: string
  readonly ports: readonly [server: number, rest: number]
  /** The one that it listens on; its network of 256 addresses may connect. */
  readonly address: string
  readonly etcdPort: number
  readonly patroniPath: string
  /** The folder of PostgreSQL's programs. */
  readonly binaries: string
}

/** The minimum that Patroni accepts for the first two, in seconds: a primary that is silent for so long is replaced. */
const TIMES = { ttl: 20, loop_wait: 1, retry_timeout: 5 }

/** Creates a node that is not started yet. */
export async function createNode(options: NodeOptions): Promise<PatroniNode> {
  const { name, folder, ports, address, patroniPath } = options
  const [port, restPort] = ports
  const home = join(folder, name)
  const [pidFile, configFile] = [join(home, 'data', 'postmaster.pid'), join(home, 'patroni.yml')]
  await mkdir(home)
  if (process.getuid?.() === 0) await chown(home, NOBODY.uid, NOBODY.gid)
  // JSON is valid YAML.
  await writeFile(configFile, JSON.stringify(configuration(options, home)))
  let patroni: RunningChild<true> | undefined

  const killServer = async (): Promise<void> => {
    const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0])
    if (pid > 0) await killFamily(pid)
  }
  return {
    name,
    port,
    restPort,
    killServer,
    async isPrimary() {
      const answer = await fetch(`http://${address}:${restPort}/primary`).catch(() => undefined)
      return answer?.status === 200
    },
    async killAll() {
      const running = patroni
      patroni = undefined
      if (running !== undefined) await killFamily(running.pid)
      await killServer()
    },
    async start() {
      patroni = await startProgram({
        name: `Patroni of ${name}`,
        path: patroniPath,
        arguments: [configFile],
        ready: /no action\. I am \(/,
        logFile: join(folder, `${name}.log`),
        environment: { PYTHONUNBUFFERED: '1' },
      })
    },
    async stop() {
      // Patroni stops its server; that takes less than a minute.
      await patroni?.stop(60_000)
      await killServer()
    },
  }
}

/** Patroni's settings: synchronous replication, and no restart of a server that died. */
function configuration({ name, ports, address, etcdPort, binaries }: NodeOptions, home: string): object {
  const [port, restPort] = ports
  const rest = `${address}:${restPort}`
  const role = { username: 'farebox' }
  return {
    scope: 'farebox-fire',
    name,
    restapi: { listen: rest, connect_address: rest },
    etcd3: { hosts: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ...TIMES,
        synchronous_mode: true,
        master_start_timeout: 0,
        primary_start_timeout: 0,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 100, wal_keep_size: '256MB' } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, { auth: 'trust' }, { username: role.username }],
    },
    postgresql: {
      listen: `${address}:${port}`,
      connect_address: `${address}:${port}`,
      data_dir: join(home, 'data'),
      pgpass: join(home, 'pgpass'),
      bin_dir: binaries,
      authentication: { replication: role, superuser: role, rewind: role },
      parameters: { unix_socket_directories: home, wal_log_hints: 'on' },
      pg_hba: ['local all all', `host all all ${address}/24`, `host replication all ${address}/24`].map(
        rule => `${rule} trust`,
      ),
    },
  }
}
