import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readProcess } from 'farebox/internal/command-line'
import type { ProcessDescription } from 'farebox/internal/command-line'

/** A PostgreSQL server that runs on a data folder. */
export interface Postmaster {
  readonly process: ProcessDescription
  readonly port: number
  /** Whether it takes connections yet; while it repairs after a crash it does not. */
  readonly isReady: boolean
}

/**
 * The server that runs on a data folder, by the folder's own lock file, `postmaster.pid`
 * (https://www.postgresql.org/docs/18/storage-file-layout.html).
 *
 * The pid in it may have gone to somebody else after a crash, so the process must name this folder on its
 * command line.
 *
 * @returns undefined when none runs
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
 * Removes the lock file of a server that is gone. PostgreSQL does that itself, except where the pid in the
 * file has gone to another program of the same user: then it would refuse to start for ever.
 *
 * Call it only where `findPostmaster` found none and nobody else starts one.
 */
export async function removeStaleLock(dataFolder: string): Promise<void> {
  await rm(lockFile(dataFolder), { force: true })
}

function lockFile(dataFolder: string): string {
  return join(dataFolder, 'postmaster.pid')
}
