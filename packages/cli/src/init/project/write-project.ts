import { lstat, mkdir, mkdtemp, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CommandError, systemErrorCode } from '../../command-error.ts'

export interface Conflict {
  /** Relative to the project's folder. */
  readonly path: string
  readonly what: 'a file' | 'a symbolic link' | 'a folder' | 'no plain file'
  /** Whether `--overwrite` may replace the file. */
  readonly isReplaceable: boolean
}

/**
 * Returns the existing paths that conflict with these files, in order. Throws a `CommandError` when the folder cannot be
 * used.
 *
 * @param folder absolute; it need not exist yet
 */
export async function findConflicts(folder: string, paths: readonly string[]): Promise<readonly Conflict[]> {
  await refuseNoFolder(folder)
  const found = await Promise.all(paths.map(path => look(folder, path)))
  return found.filter(conflict => conflict !== undefined)
}

/**
 * Writes all files or none: when one cannot be written, created files are removed and replaced ones are restored. A file is
 * replaced only when it is listed in `replace`; one that appeared in the meantime is not.
 *
 * @param options.replace paths of files and links that may be replaced
 */
export async function writeProject(
  folder: string,
  files: readonly { readonly path: string; readonly text: string | Uint8Array }[],
  options: { readonly replace: readonly string[]; readonly signal?: AbortSignal },
): Promise<void> {
  const undo: (() => Promise<unknown>)[] = []
  try {
    const made = await mkdir(folder, { recursive: true })
    if (made !== undefined) undo.push(() => removeEmpty(folder, made))
    const aside = options.replace.length === 0 ? undefined : await mkdtemp(join(folder, '.farebox-init-'))
    if (aside !== undefined) undo.push(() => rmdir(aside))
    for (const [index, { path, text }] of files.entries()) {
      options.signal?.throwIfAborted()
      const file = join(folder, path)
      if (aside !== undefined && options.replace.includes(path)) {
        const old = join(aside, String(index))
        await rename(file, old)
        undo.push(() => rename(old, file))
      }
      const parent = await mkdir(dirname(file), { recursive: true })
      if (parent !== undefined) undo.push(() => removeEmpty(dirname(file), parent))
      await writeNew(file, text)
      undo.push(() => rm(file))
    }
    if (aside !== undefined) await rm(aside, { recursive: true })
  } catch (error) {
    for (const step of undo.toReversed()) await step().catch(() => undefined)
    if (options.signal?.aborted === true) throw error
    throw new CommandError(`nothing was written: ${reasonOf(error)}`, 'fix that, and try again', {
      cause: error,
    })
  }
}

/** Never overwrites an existing file, including one created a moment ago and the target of a link. */
async function writeNew(file: string, text: string | Uint8Array): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' })
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') await rm(file, { force: true })
    throw error
  }
}

/** Removes the folder and its parents, up to the first one that was created; folders that are not empty remain. */
async function removeEmpty(folder: string, first: string): Promise<void> {
  for (let path = folder; ; path = dirname(path)) {
    await rmdir(path)
    if (path === first) return
  }
}

async function refuseNoFolder(folder: string): Promise<void> {
  for (let path = folder; ; path = dirname(path)) {
    const code = await stat(path).then(
      found => (found.isDirectory() ? 'folder' : 'other'),
      (error: unknown) => systemErrorCode(error),
    )
    if (code === 'folder') return
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw inTheWay(path, code === 'other' ? 'a file' : code)
    // A path that exists but that `stat` does not find is a broken link.
    if ((await look('', path)) !== undefined) throw inTheWay(path, 'a symbolic link to nothing')
  }
}

function inTheWay(path: string, what: string): CommandError {
  return new CommandError(
    `${path} cannot be a folder: it is ${what}`,
    'name another folder: farebox init <folder>',
  )
}

async function look(folder: string, path: string): Promise<Conflict | undefined> {
  try {
    const found = await lstat(join(folder, path))
    if (found.isSymbolicLink()) return { path, what: 'a symbolic link', isReplaceable: true }
    if (found.isFile()) return { path, what: 'a file', isReplaceable: true }
    return { path, what: found.isDirectory() ? 'a folder' : 'no plain file', isReplaceable: false }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error))) return undefined
    throw new CommandError(
      `${join(folder, path)} cannot be looked at (${systemErrorCode(error)})`,
      'name another folder',
      { cause: error },
    )
  }
}

function reasonOf(error: unknown): string {
  const path = error instanceof Error && 'path' in error ? `${String(error.path)} ` : ''
  return `${path}cannot be written (${systemErrorCode(error)})`
}
