import { randomBytes } from 'node:crypto'
import { chmod, chown, lstat, mkdir, realpath, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { isReachableBy } from './database-user.ts'
import type { DatabaseUser } from './database-user.ts'

/** The paths of a database cluster. */
export interface ClusterFolder {
  readonly path: string
  /** PostgreSQL's own data folder; it exists once the database was created. */
  readonly data: string
  /** The log of PostgreSQL, of the last start only. */
  readonly log: string
  /** The password of the only user; only its owner can read the file. */
  readonly password: string
}

export interface OpenClusterFolderOptions {
  /** The folder that the caller chose; the database is in its subfolder `cluster`. */
  readonly folder: string
  readonly user: DatabaseUser | undefined
  /** The folder for the files when the database's user cannot reach `folder`. */
  readonly systemFolder: string
  readonly onLog: (line: string) => void
}

/**
 * Creates or opens the folder that holds a database. The folder belongs to the user that runs the database and is closed to
 * all others.
 *
 * Folders of root are often closed to that user (/root is). The files then go to the system folder, and a symbolic link in
 * the chosen folder points to it, so that removing the chosen folder still starts with an empty database.
 *
 * @throws Error when the link has no target, or when the user cannot reach an existing folder
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
