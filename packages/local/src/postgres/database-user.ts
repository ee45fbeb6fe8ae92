import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The user that PostgreSQL runs as when this process is root, because PostgreSQL refuses to run as root. */
export interface DatabaseUser {
  readonly uid: number
  readonly gid: number
}

/** The user "nobody" on Linux: by convention it owns no files, and no account has to be created for it. */
const NOBODY: DatabaseUser = { uid: 65534, gid: 65534 }

/**
 * Chooses the user that PostgreSQL runs as.
 *
 * @param clusterFolder - the folder of the database files; when it already belongs to an ordinary user, root runs
 * PostgreSQL as that user
 * @returns `undefined` when this process is not root; PostgreSQL then runs as the same user
 */
export async function chooseDatabaseUser(clusterFolder: string): Promise<DatabaseUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const owner = await stat(clusterFolder).catch(() => undefined)
  return owner === undefined || owner.uid === 0 ? NOBODY : { uid: owner.uid, gid: owner.gid }
}

/**
 * Whether a user may enter a folder, or read and run a program, by the permission bits of it and of every
 * folder above it.
 *
 * @param path - an absolute path without symbolic links
 * @param user - `undefined`, this process, always passes: the system reports what it may not do
 */
export async function isReachableBy(user: DatabaseUser | undefined, path: string): Promise<boolean> {
  if (user === undefined) return true
  const { uid, gid, mode } = await stat(path)
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0
  const needed = 0o5
  const isAllowed = ((mode >> shift) & needed) === needed
  const parent = dirname(path)
  return isAllowed && (parent === path || (await isReachableBy(user, parent)))
}
