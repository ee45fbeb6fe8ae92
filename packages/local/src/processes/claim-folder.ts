import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readPidFile, writePidFile } from './pid-file.ts'

/** A folder that only this process writes; `release` ends the claim. */
export interface ClaimedFolder {
  readonly release: () => Promise<void>
}

/** Thrown when a running process holds the folder; the message names the process and says what to do. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError'
  /** The process that holds the folder. */
  readonly pid: number

  constructor(message: string, pid: number) {
    super(message)
    this.pid = pid
  }
}

/**
 * Creates a folder and claims it for this process, so that two launchers never run on the same files.
 *
 * The claim is a pid file, `owner.pid`; the file of a process that crashed does not count. It prevents an accidental second
 * start, but not two starts at the same instant.
 *
 * @param folder - created with its parents when it does not exist
 * @param purpose - what runs in the folder, for the message: "chain"
 * @throws FolderInUseError when a running process, this one included, holds the folder
 */
export async function claimFolder(folder: string, purpose: string): Promise<ClaimedFolder> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, 'owner.pid')
  const owner = await readPidFile(path)
  if (owner !== undefined) {
    throw new FolderInUseError(
      `The ${purpose} folder ${folder} is in use by process ${owner.pid} (${owner.commandLine}): ` +
        'end that process first, or choose another folder',
      owner.pid,
    )
  }
  await writePidFile(path, process.pid)
  return { release: async () => await rm(path, { force: true }) }
}
