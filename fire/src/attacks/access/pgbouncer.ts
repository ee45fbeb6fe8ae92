import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@farebox/protocol/src/test-setup/until'
import pg from 'pg'
import { freePort } from '../../../../e2e/stage/free-port.ts'
import { findProgram } from '../find-program.ts'

/** Debian's user without rights: PgBouncer does not run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 }

/** PgBouncer in transaction mode, with so few connections that they are shared. */
export interface PgBouncer {
  /** The same database, through it. */
  readonly url: string
  stop(): Promise<void>
}

/**
 * Starts it before a database, on a free port.
 *
 * @param ignores - startup parameters that it drops instead of refusing
 */
export async function startPgBouncer(databaseUrl: string, ignores: readonly string[]): Promise<PgBouncer> {
  const { hostname, port, pathname, username } = new URL(databaseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'farebox-pgbouncer-'))
  const listenPort = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const user = username === '' ? 'root' : username
  await writeFile(
    file,
    `[databases]
* = host=${hostname} port=${port === '' ? '5432' : port} user=${user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
max_client_conn = 200
ignore_startup_parameters = ${['extra_float_digits', ...ignores].join(', ')}
`,
  )
  await chmod(folder, 0o755)
  const isRoot = process.getuid?.() === 0
  const program = findProgram('pgbouncer') ?? 'pgbouncer'
  const child = spawn(program, ['-q', file], { stdio: 'ignore', ...(isRoot && NOBODY) })
  const exited = once(child, 'exit')
  const url = `postgres://${user}@127.0.0.1:${listenPort}${pathname}`
  await Promise.race([
    until(() => answers(url)),
    exited.then(() => {
      throw new Error('PgBouncer did not start')
    }),
  ])
  return {
    url,
    async stop() {
      child.kill('SIGKILL')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString })
  return await client.connect().then(
    () => client.end().then(() => true),
    () => false,
  )
}
