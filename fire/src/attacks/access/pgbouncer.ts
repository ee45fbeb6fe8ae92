import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from '../find-program.ts'
import { untilTrue } from '../stage/until-true.ts'

/** Debian's user without rights: PgBouncer does not run as root. */
const NOBODY = 65_534

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
export async function startPgBouncer(databaseUrl: string, ignores: string): Promise<PgBouncer> {
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
ignore_startup_parameters = extra_float_digits${ignores === '' ? '' : `, ${ignores}`}
`,
  )
  await chmod(folder, 0o755)
  const isRoot = process.getuid?.() === 0
  const child = spawn(findProgram('pgbouncer') ?? 'pgbouncer', ['-q', file], {
    stdio: 'ignore',
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  })
  const exited = new Promise<void>(resolve => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
    await rm(folder, { recursive: true, force: true })
  }
  const startedMs = await untilTrue(() => listens(listenPort))
  if (startedMs === undefined) {
    await stop()
    throw new Error('PgBouncer did not start')
  }
  return { url: `postgres://${user}@127.0.0.1:${listenPort}${pathname}`, stop }
}

/** A name for a schema or a role of one run. */
export function freshName(prefix: string): string {
  return `${prefix}_${randomBytes(6).toString('hex')}`
}

function listens(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
