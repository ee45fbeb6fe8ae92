import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readProcess } from 'farebox/internal/command-line'
import type { ProcessDescription } from 'farebox/internal/command-line'

/** A PostgreSQL server that runs on a data folder. */
export interface Postmaster {
  readonly process: ProcessDescription
  readonly port: number
  /** Whether it accepts connections; it does not while it recovers from a crash. */
  readonly isReady: boolean
}

/**
 * Finds the server that runs on a data folder, through the folder's own lock file, `postmaster.pid`
 * (https://www.postgresql.org/docs/18/storage-file-layout.html).
 *
 * After a crash, the pid in the file may belong to another process, so the process must also name this folder in its
 * command line.
 *
 * @returns `undefined` when no server runs
 */
export async function findPostmaster(dataFolder: string): Promise<Postmaster | undefined> {
  const text = await readFile(lockFile(dataFolder), 'utf8').catch(() => '')
  // pid, folder, start, port, socket folder, address, shared memory, status: src/include/utils/pidfile.h
  const [pid, , , port, , , , status] = text.split('\n')
  const found = await readProcess(Number(pid))
  if (found === undefined || !found.commandLine.includes(`-D ${dataFolder} `)) return undefined
  return { process: found, port: Number(port), isReady: status?.trim() === 'ready' }
}

/**
 * Removes the lock file of a server that no longer runs. PostgreSQL does that itself, unless another program of the same
 * user has the pid in the file now; PostgreSQL would then refuse every start.
 *
 * Call this only when `findPostmaster` found no server and no other process starts one.
 */
export async function removeStaleLock(dataFolder: string): Promise<void> {
  await rm(lockFile(dataFolder), { force: true })
}

function lockFile(dataFolder: string): string {
  return join(dataFolder, 'postmaster.pid')
}
