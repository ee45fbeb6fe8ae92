import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Replaces a file so that a crash at any moment, of us or of the machine, leaves the old or the new content
 * there and never a part of it.
 *
 * @param path - the file; its folder must exist
 * @param content - what it shall hold
 * @param mode - permissions of the new file, readable by everyone unless told
 * @throws what the file system says (disk full, no permission); the old content is then untouched
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
 * Moves a file over another in the same folder, for good: after a power failure the move is still done.
 *
 * @param from - a file whose content has reached the disk
 * @param to - the place it takes
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
