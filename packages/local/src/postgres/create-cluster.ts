import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isThere } from '../processes/is-there.ts'
import type { ClusterFolder } from './cluster-folder.ts'
import type { DatabaseUser } from './database-user.ts'
import { USE_ANOTHER_DATABASE } from './postgres-programs.ts'

/** The only user of the database and its owner. */
export const DATABASE_USER_NAME = 'farebox'

/**
 * Replaces the environment of this process, whose variables (PGDATA, PGTZ, LANG) would change the behaviour of the
 * database.
 */
export const POSTGRES_ENVIRONMENT: Readonly<Record<string, string>> = { LC_ALL: 'C', TZ: 'UTC' }

/**
 * Creates the database unless it exists: UTF-8, the same sort order on every machine, and one user with a random password
 * that other users of this machine need as well. A crash while it is created leaves nothing that a later start would
 * mistake for a database.
 *
 * @param programs - the folder that contains PostgreSQL's `bin`
 * @throws Error with PostgreSQL's message when it cannot run on this machine
 */
export async function createCluster(
  programs: string,
  cluster: ClusterFolder,
  user: DatabaseUser | undefined,
): Promise<void> {
  if (await isThere(cluster.data)) return
  const unfinished = `${cluster.data}.new`
  await rm(unfinished, { recursive: true, force: true })
  await rm(cluster.password, { force: true })
  await writeFile(cluster.password, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600, flush: true })
  if (user !== undefined) await chown(cluster.password, user.uid, user.gid)
  const settings = [
    `--pgdata=${unfinished}`,
    `--username=${DATABASE_USER_NAME}`,
    `--pwfile=${cluster.password}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ]
  try {
    const place = { cwd: cluster.path, env: POSTGRES_ENVIRONMENT, ...user }
    await promisify(execFile)(join(programs, 'bin', 'initdb'), settings, place)
  } catch (error) {
    const why = `Embedded PostgreSQL does not run on this machine (${lastLine(error)})`
    throw new Error(`${why}: ${USE_ANOTHER_DATABASE}`, { cause: error })
  }
  await rename(unfinished, cluster.data)
}

function lastLine(error: unknown): string {
  const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
  return output.split('\n').at(-1) || String(error)
}
