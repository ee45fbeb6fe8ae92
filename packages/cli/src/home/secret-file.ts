import { link, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Writes a file that only its owner can read (0600, in a folder of 0700), durably: after a crash of this process or of the
 * machine, the file has the old content, the new content, or does not exist if it is new, but never has a part of it.
 *
 * @param path its folder is created when it does not exist
 * @throws the error of the file system; the previous content is then unchanged, unless only the folder could not be
 * flushed: then the new content is in place but may not survive a power failure
 */
export async function writeSecretFile(path: string, text: string): Promise<void> {
  await writeThen(path, text, rename)
}

/** Like {@link writeSecretFile}, for a file that must not exist yet; rejects with code `EEXIST` when it does. */
export async function createSecretFile(path: string, text: string): Promise<void> {
  // Unlike a rename, a link never replaces an existing file.
  await writeThen(path, text, link)
}

/** The extension of an incomplete file that a crash left. */
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

/** Errors of file systems that cannot flush folders: network and FUSE mounts. Their names are as durable as they can be. */
const NO_FOLDER_SYNC: readonly unknown[] = ['EINVAL', 'ENOTSUP', 'EPERM']

/** Makes the new name survive a power failure. Windows cannot open folders; NTFS journals names itself. */
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
