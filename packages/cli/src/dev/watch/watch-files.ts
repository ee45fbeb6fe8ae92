import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'

/** When missing folders are checked again after a watch of their parent was started. */
const RECHECK_MS = [100, 1_000]

export interface FileWatch {
  follow(files: readonly string[]): void
  close(): Promise<void>
}

/** The watched files, and the folders through which they are watched. */
interface Watched {
  readonly watcher: FSWatcher
  readonly onChange: (file: string) => void
  files: ReadonlySet<string>
  folders: Set<string>
  /** Folders that do not exist, each below one that does. */
  awaited: ReadonlySet<string>
  /** Files that did not exist at the last check. */
  readonly absent: Set<string>
}

/**
 * Watches files through their folders, and a missing folder through its nearest existing ancestor. Only these folders are
 * watched, not their subfolders: a data folder beside the handlers costs nothing.
 *
 * @param onChange called with the path of a file that may have changed, appeared or disappeared
 */
export function watchFiles(onChange: (file: string) => void): FileWatch {
  const watched: Watched = {
    // The contents of a folder are also reported when it is first read: they may have appeared after our own check.
    watcher: watch([], { ignoreInitial: false, depth: 0, ignored: path => !isOfInterest(watched, path) }),
    onChange,
    files: new Set(),
    folders: new Set(),
    awaited: new Set(),
    absent: new Set(),
  }
  const { watcher } = watched
  watcher.on('all', (event, path) => report(watched, event, path))
  // The events above skip changes that come close together; the events of the system do not.
  watcher.on('raw', (_event, name, details) => {
    const at = watchedPath(details)
    if (at === undefined || typeof name !== 'string') return
    for (const path of [join(at, name), join(dirname(at), name)]) if (watched.files.has(path)) onChange(path)
  })
  // A folder that cannot be watched (too many watches, no permission) does not affect the others.
  watcher.on('error', () => undefined)
  return { follow: files => follow(watched, files), close: () => watcher.close() }
}

function isOfInterest({ files, folders, awaited }: Watched, path: string): boolean {
  return files.has(path) || folders.has(path) || awaited.has(path)
}

function follow(watched: Watched, wanted: readonly string[]): void {
  const { watcher, absent, files: filesBefore, folders: foldersBefore } = watched
  const [files, folders, awaited] = [new Set(wanted), new Set<string>(), new Set<string>()]
  for (const file of files) {
    const { folder, missing } = nearestFolder(dirname(file))
    folders.add(folder)
    if (missing !== undefined) awaited.add(missing)
    if (!existsSync(file)) absent.add(file)
  }
  watched.files = files
  watched.folders = folders
  watched.awaited = awaited
  const added = [...folders].filter(folder => !foldersBefore.has(folder))
  if (added.length > 0 && awaited.size > 0) recheckAwaited(watched)
  // A new file in an already watched folder was ignored there so far.
  watcher.add(added)
  watcher.add([...files].filter(file => !filesBefore.has(file) && foldersBefore.has(dirname(file))))
}

/** No event reports a folder created after its parent was read and before its parent is watched. */
function recheckAwaited(watched: Watched): void {
  for (const ms of RECHECK_MS) {
    setTimeout(() => {
      const created = [...watched.awaited].filter(folder => existsSync(folder))
      if (created.length > 0 && !watched.watcher.closed) reportFolders(watched, created)
    }, ms).unref()
  }
}

function report(watched: Watched, event: string, path: string): void {
  const { files, folders, awaited, absent, onChange } = watched
  if (files.has(path)) {
    if (event === 'unlink') absent.add(path)
    // The first reading of a folder reports files that already existed.
    const existed = event === 'add' && !absent.delete(path)
    return existed ? undefined : onChange(path)
  }
  const appeared = event === 'addDir' && awaited.has(path)
  const disappeared = event === 'unlinkDir' && (awaited.has(path) || folders.has(path))
  if (!appeared && !disappeared) return
  if (disappeared) folders.delete(path)
  reportFolders(watched, [path])
}

/** Reports the files of folders that appeared or disappeared. */
function reportFolders(watched: Watched, changed: readonly string[]): void {
  const within = [...watched.files].filter(file => changed.some(folder => file.startsWith(folder)))
  follow(watched, [...watched.files])
  for (const file of within) watched.onChange(file)
}

/** Returns the file or folder of a system event; `undefined` when files are polled instead. */
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
