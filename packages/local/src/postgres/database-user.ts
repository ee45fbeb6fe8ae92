import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The user PostgreSQL runs as when we are root, for it refuses to run as root. */
export interface DatabaseUser {
  readonly uid: number
  readonly gid: number
}

/** "nobody" on Linux: owns nothing by convention, and needs no account to be made. */
const NOBODY: DatabaseUser = { uid: 65534, gid: 65534 }

/**
 * Which user PostgreSQL shall run as.
 *
 * @param clusterFolder - where its files are; when they belong to an ordinary user already, root runs it as
 * that one
 * @returns undefined when we are no root ourselves: it then runs as we do
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
 * @param user - undefined, ourselves, always may: what we may not do, the system will say
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
