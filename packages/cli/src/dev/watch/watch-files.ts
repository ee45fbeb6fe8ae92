import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { watch } from 'chokidar'

/** When missing folders are looked for again after the folder above them began to be watched. */
const RECHECK_MS = [100, 1_000]

export interface FileWatch {
  follow(files: readonly string[]): void
  close(): Promise<void>
}

/**
 * Watches files by the folders that hold them, and folders that are not there yet by the nearest one that is. Only
 * these are watched, not what is below them: a data folder beside the handlers costs nothing.
 *
 * @param onChange called with the path of a file that may have changed, appeared or gone
 */
export function watchFiles(onChange: (file: string) => void): FileWatch {
  let files = new Set<string>()
  let folders = new Set<string>()
  /** Folders that are not there, each below one that is. */
  let awaited = new Set<string>()
  /** Files that did not exist at the last check. */
  const absent = new Set<string>()
  const isOfInterest = (path: string): boolean => files.has(path) || folders.has(path) || awaited.has(path)
  // Also reports the contents of a folder when it is first read: they may have appeared after our own check.
  const watcher = watch([], { ignoreInitial: false, depth: 0, ignored: path => !isOfInterest(path) })

  function follow(wanted: readonly string[]): void {
    const before = { files, folders }
    files = new Set(wanted)
    folders = new Set()
    awaited = new Set()
    for (const file of files) {
      const { folder, missing } = nearestFolder(dirname(file))
      folders.add(folder)
      if (missing !== undefined) awaited.add(missing)
      if (!existsSync(file)) absent.add(file)
    }
    const added = [...folders].filter(folder => !before.folders.has(folder))
    if (added.length > 0 && awaited.size > 0) recheckAwaited()
    // A file that came to matter in a folder that was watched already was passed over there so far.
    watcher.add(added)
    watcher.add([...files].filter(file => !before.files.has(file) && before.folders.has(dirname(file))))
  }

  /** No event reports a folder created after its parent was read and before its parent is watched. */
  function recheckAwaited(): void {
    for (const ms of RECHECK_MS) {
      setTimeout(() => {
        const created = [...awaited].filter(folder => existsSync(folder))
        if (created.length > 0 && !watcher.closed) reportFolders(created)
      }, ms).unref()
    }
  }

  /** Reports the files of folders that appeared or disappeared. */
  function reportFolders(changed: readonly string[]): void {
    const within = [...files].filter(file => changed.some(folder => file.startsWith(folder)))
    follow([...files])
    for (const file of within) onChange(file)
  }

  watcher.on('all', (event, path) => {
    if (files.has(path)) {
      if (event === 'unlink') absent.add(path)
      // The first reading of a folder reports files that existed before.
      const existed = event === 'add' && !absent.delete(path)
      return existed ? undefined : onChange(path)
    }
    const appeared = event === 'addDir' && awaited.has(path)
    const disappeared = event === 'unlinkDir' && (awaited.has(path) || folders.has(path))
    if (!appeared && !disappeared) return
    if (disappeared) folders.delete(path)
    reportFolders([path])
  })
  // The events above leave out changes that come close together; the system's own do not.
  watcher.on('raw', (_event, name, details) => {
    const at = watchedPath(details)
    if (at === undefined || typeof name !== 'string') return
    for (const path of [join(at, name), join(dirname(at), name)]) if (files.has(path)) onChange(path)
  })
  // A folder that may not be watched (too many watches, no permission) leaves the others as they are.
  watcher.on('error', () => undefined)
  return { follow, close: () => watcher.close() }
}

/** The file or folder that an event of the system is about; unknown where files are polled instead. */
function watchedPath(details: unknown): string | undefined {
  const isTold = typeof details === 'object' && details !== null && 'watchedPath' in details
  return isTold && typeof details.watchedPath === 'string' ? details.watchedPath : undefined
}

function nearestFolder(folder: string): { readonly folder: string; readonly missing?: string } {
  let missing: string | undefined
  let at = folder
  while (!existsSync(at) && dirname(at) !== at) {
    missing = at
    at = dirname(at)
  }
  return missing === undefined ? { folder: at } : { folder: at, missing }
}
