import { randomBytes } from 'node:crypto'
import { chmod, chown, lstat, mkdir, realpath, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { isReachableBy } from './database-user.ts'
import type { DatabaseUser } from './database-user.ts'

/** The folders of a database. */
export interface ClusterFolder {
  readonly path: string
  /** PostgreSQL's own folder; there once the database was made. */
  readonly data: string
  /** The log of PostgreSQL, of the last start only. */
  readonly log: string
  /** The password of the one user, readable by its owner alone. */
  readonly password: string
}

export interface OpenClusterFolderOptions {
  /** The folder the caller chose; the database is in `cluster` in it. */
  readonly folder: string
  readonly user: DatabaseUser | undefined
  /** The folder for the files when the database's user cannot reach `folder`. */
  readonly systemFolder: string
  readonly onLog: (line: string) => void
}

/**
 * Makes or opens the folder that holds a database, owned by the user that runs it and closed to all others.
 *
 * Root's own folders are often closed to that user (/root is). The files then go to the system folder, and a
 * symbolic link in the chosen folder leads there: removing the chosen folder still means starting afresh.
 *
 * @throws Error when the link leads nowhere, or an existing folder cannot be reached by the user
 */
export async function openClusterFolder(options: OpenClusterFolderOptions): Promise<ClusterFolder> {
  const { folder, user } = options
  const chosen = join(folder, 'cluster')
  const existing = await lstat(chosen).catch(() => undefined)
  if (existing === undefined) await makeClusterFolder(chosen, options)
  const path = await realpath(chosen).catch((error: unknown) => {
    const advice = 'bring it back, or remove the link to start afresh'
    throw new Error(`${chosen} leads to a folder that is gone: ${advice}`, { cause: error })
  })
  if (!(await isReachableBy(user, path))) {
    const advice = 'let others enter its parent folders'
    throw new Error(`User ${user?.uid}, who runs PostgreSQL, cannot reach ${path}: ${advice}`)
  }
  return {
    path,
    data: join(path, 'data'),
    log: join(path, 'postgres.log'),
    password: join(path, 'password'),
  }
}

async function makeClusterFolder(chosen: string, options: OpenClusterFolderOptions): Promise<void> {
  const { folder, user, systemFolder, onLog } = options
  if (await isReachableBy(user, await realpath(folder))) {
    await makeOwnedFolder(chosen, user)
    return
  }
  await mkdir(systemFolder, { recursive: true })
  await chmod(systemFolder, 0o755)
  const elsewhere = join(systemFolder, `postgres-${randomBytes(6).toString('hex')}`)
  await makeOwnedFolder(elsewhere, user)
  await symlink(elsewhere, chosen)
  onLog(`the database is in ${elsewhere}, because user ${user?.uid}, who runs it, cannot enter ${folder}`)
}

async function makeOwnedFolder(path: string, user: DatabaseUser | undefined): Promise<void> {
  await mkdir(path, { mode: 0o700 })
  if (user !== undefined) await chown(path, user.uid, user.gid)
}
