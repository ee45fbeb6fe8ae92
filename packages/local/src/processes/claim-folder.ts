import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readPidFile, writePidFile } from './pid-file.ts'

/** A folder that this process may write; `release` gives it back. */
export interface ClaimedFolder {
  readonly release: () => Promise<void>
}

/** A running process holds the folder; the message says which, and what to do. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError'
  /** The process that holds it. */
  readonly pid: number

  constructor(message: string, pid: number) {
    super(message)
    this.pid = pid
  }
}

/**
 * Makes a folder and takes it for this process, so that two launchers never run on one set of files.
 *
 * The claim is a pid file, `owner.pid`; one that a crash left behind does not count. It guards against a
 * second start by mistake, not against two starts in the same instant.
 *
 * @param folder - made with its parents when missing
 * @param purpose - what runs there, for the message: "chain"
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
