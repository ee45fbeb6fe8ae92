import { link, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Writes a file that its owner alone can read (0600, in a folder of 0700), for good: a crash at any moment, of us
 * or of the machine, leaves the old content, the new, or for a new file none, and never a part of it.
 *
 * @param path its folder is made where it is missing
 * @throws what the file system says; what was there before is then untouched, but where the folder alone could not
 *   be flushed: then the new content is there and may not outlive a power failure
 */
export async function writeSecretFile(path: string, text: string): Promise<void> {
  await writeThen(path, text, rename)
}

/** {@link writeSecretFile} for a file that must not be there yet; rejects with code `EEXIST` where it is. */
export async function createSecretFile(path: string, text: string): Promise<void> {
  // Unlike a rename, a link never takes the place of what is there.
  await writeThen(path, text, link)
}

/** The ending of what a crash left half-written. */
export const UNFINISHED = '.new'

async function writeThen(
  path: string,
  text: string,
  put: (from: string, to: string) => Promise<void>,
): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const temporary = join(folder, `.${process.pid}-${globalThis.crypto.randomUUID()}${UNFINISHED}`)
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await put(temporary, path)
    await syncFolder(folder)
  } finally {
    await rm(temporary, { force: true })
  }
}

/** What a file system says that flushes no folders: network and FUSE mounts. It keeps names as well as it can. */
const NO_FOLDER_SYNC: readonly unknown[] = ['EINVAL', 'ENOTSUP', 'EPERM']

/** After a power failure the new name is still there. Windows opens no folders; NTFS journals names itself. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const opened = await open(folder, 'r')
  try {
    await opened.sync()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && NO_FOLDER_SYNC.includes(error.code))) throw error
  } finally {
    await opened.close()
  }
}
