import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Replaces a file so that after a crash of this process or of the machine the file has either the old or the new content,
 * and never a part of it.
 *
 * @param path - the file; its folder must exist
 * @param content - the new content
 * @param mode - permissions of the new file; by default every user can read it
 * @throws the error of the file system (disk full, no permission); the old content is then unchanged
 */
export async function writeDurably(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  const temporaryPath = `${path}.${process.pid}.new`
  try {
    const file = await open(temporaryPath, 'w', mode)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await replaceDurably(temporaryPath, path)
  } catch (error) {
    await rm(temporaryPath, { force: true })
    throw error
  }
}

/**
 * Moves a file over another one in the same folder, durably: the move survives a power failure.
 *
 * @param from - a file whose content has reached the disk
 * @param to - the file to replace
 */
export async function replaceDurably(from: string, to: string): Promise<void> {
  await rename(from, to)
  // A folder cannot be opened on Windows; NTFS journals the rename itself.
  if (process.platform === 'win32') return
  const folder = await open(dirname(to), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
