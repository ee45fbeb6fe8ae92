import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isThere } from '../processes/is-there.ts'
import type { ClusterFolder } from './cluster-folder.ts'
import type { DatabaseUser } from './database-user.ts'
import { USE_ANOTHER_DATABASE } from './postgres-programs.ts'

/** The one user of the database, its owner. */
export const DATABASE_USER_NAME = 'farebox'

/** Nothing of our environment decides how the database behaves (PGDATA, PGTZ, LANG do). */
export const POSTGRES_ENVIRONMENT: Readonly<Record<string, string>> = { LC_ALL: 'C', TZ: 'UTC' }

/**
 * Makes the database, unless it is there: UTF-8, the same sort order on every machine, one user with a random
 * password that even this machine's other users need. A crash half-way leaves nothing that a later start
 * would take for a database.
 *
 * @param programs - the folder with PostgreSQL's `bin`
 * @throws Error when PostgreSQL cannot run here, with its words
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
