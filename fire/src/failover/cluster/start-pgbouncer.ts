import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunningChild } from '@farebox/local/src/processes/child-process'
import { startProgram } from './start-program.ts'

/** PgBouncer's address, and its server's. */
export interface PgBouncerOptions {
  readonly path: string
  /** Its configuration and its log; the unprivileged user must be able to enter it. */
  readonly folder: string
  readonly port: number
  /** The one that it listens on; default 127.0.0.1. */
  readonly address?: string
  readonly databaseUrl: string
}

/** A number of server connections small enough that they are shared. */
const SERVER_CONNECTIONS = 3

/** Starts a PgBouncer in transaction mode, as at hosted databases. Resolves with its connection string as well. */
export async function startPgBouncer(
  options: PgBouncerOptions,
): Promise<RunningChild<true> & { readonly url: string }> {
  const { path, folder, port, address = '127.0.0.1', databaseUrl } = options
  const { hostname, port: serverPort, pathname, username } = new URL(databaseUrl)
  const user = username === '' ? 'root' : username
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(
    file,
    `[databases]
* = host=${hostname} port=${serverPort === '' ? '5432' : serverPort} user=${user}
[pgbouncer]
listen_addr = ${address}
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
max_client_conn = 200
server_login_retry = 1
ignore_startup_parameters = extra_float_digits
`,
  )
  const child = await startProgram({
    name: 'PgBouncer',
    path,
    arguments: [file],
    ready: 'process up',
    logFile: join(folder, 'pgbouncer.log'),
  })
  return { ...child, url: `postgres://${user}@${address}:${port}${pathname}` }
}
