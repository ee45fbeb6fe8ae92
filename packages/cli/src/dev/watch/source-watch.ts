import type { Clock } from 'farebox'
import { createFingerprints } from './fingerprints.ts'
import type { FileWatch } from './watch-files.ts'

/** The files that a version of the agent was made of, and whether they are still the same. */
export interface SourceWatch {
  /** Says that the files are about to be read: what changes from now on has changed. */
  startReading(): Promise<void>
  /** These were read, or looked for; from now on they are watched. */
  follow(files: readonly string[]): Promise<void>
  /** Which of the files are not what they were when they were read. */
  changed(files: readonly string[]): Promise<readonly string[]>
  /** Watchers leave out changes that come close together: looks at every file a little later. */
  lookAgain(): void
  close(): Promise<void>
}

const LOOK_AGAIN_MS = 120
/** A watcher may be set up a moment after a change, and some file systems tell of none: who looks, finds it. */
const SWEEP_EVERY_MS = 1_000

/** What tells of changes as they happen. */
export type OpenWatch = (onChange: (file: string) => void) => Promise<FileWatch>

/**
 * @param onChange called with a file that may have changed
 * @param openWatch called when there is something to watch: the first process is up by then
 */
export function watchSources(
  clock: Clock,
  onChange: (file: string) => void,
  openWatch: OpenWatch = openFileWatch,
): SourceWatch {
  const fingerprints = createFingerprints()
  let cancelSweep: (() => void) | undefined
  let followed: readonly string[] = []
  let readingSinceMs = 0
  let watch: Promise<FileWatch> | undefined
  let isClosed = false
  return {
    async startReading() {
      readingSinceMs = clock.nowMs()
      await fingerprints.note(followed)
    },
    async follow(files) {
      followed = files
      for (const file of await fingerprints.noteNew(files, readingSinceMs)) onChange(file)
      watch ??= openWatch(onChange)
      const { follow } = await watch
      if (isClosed) return
      follow(files)
      if (cancelSweep === undefined) sweepLater()
    },
    changed: files => fingerprints.changed(files),
    lookAgain() {
      clock.after(LOOK_AGAIN_MS, () => {
        if (!isClosed) void fingerprints.changed(followed).then(changed => changed.forEach(onChange))
      })
    },
    async close() {
      isClosed = true
      cancelSweep?.()
      await (await watch)?.close()
    },
  }

  function sweepLater(): void {
    cancelSweep = clock.after(SWEEP_EVERY_MS, () => void sweep())
  }

  async function sweep(): Promise<void> {
    const touched = await fingerprints.touched()
    if (isClosed) return
    touched.forEach(onChange)
    sweepLater()
  }
}

async function openFileWatch(onChange: (file: string) => void): Promise<FileWatch> {
  const { watchFiles } = await import('./watch-files.ts')
  return watchFiles(onChange)
}
