import type { Clock } from 'farebox'
import type { FileWatch } from './watch-files.ts'
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'

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

interface Fingerprints {
  /** Notes what the files hold now, in place of everything noted before. */
  note(files: readonly string[]): Promise<void>
  /**
   * Notes files that were not known before, and returns those that came or were written since then: what was read of
   * them may be what they held before, so that they count as changed.
   */
  noteNew(files: readonly string[], sinceMs: number): Promise<readonly string[]>
  /** Which of the files hold something else than was noted; files that are not noted do not count. */
  changed(files: readonly string[]): Promise<readonly string[]>
  /** Which of the noted files were written, moved or removed since the last look, by their times; reads none. */
  touched(): Promise<readonly string[]>
}

/** Saving a file without a change of its content changes nothing here: its time does not count. */
export function createFingerprints(): Fingerprints {
  let noted = new Map<string, string>()
  const stamps = new Map<string, string>()
  const read = async (file: string): Promise<string> => {
    // In this order: what comes in between is looked at once more.
    if (!stamps.has(file)) stamps.set(file, await stampOf(file))
    return await printOf(file)
  }
  return {
    async note(files) {
      noted = new Map(await Promise.all(files.map(async file => [file, await read(file)] as const)))
    },
    async noteNew(files, sinceMs) {
      const unknown = files.filter(file => !noted.has(file))
      const younger = await Promise.all(
        unknown.map(async file => {
          // In this order: what comes in between makes it younger.
          const print = await read(file)
          const isYounger = (await touchedMs(file)) >= sinceMs - FILE_TIME_STEP_MS
          noted.set(file, isYounger ? UNREAD : print)
          return isYounger ? [file] : []
        }),
      )
      return younger.flat()
    },
    async changed(files) {
      const found = await Promise.all(
        files.map(async file => {
          const before = noted.get(file)
          return before !== undefined && before !== (await printOf(file)) ? [file] : []
        }),
      )
      return found.flat()
    },
    async touched() {
      const found = await Promise.all(
        [...noted.keys()].map(async file => {
          const [before, stamp] = [stamps.get(file), await stampOf(file)]
          stamps.set(file, stamp)
          return before === stamp ? [] : [file]
        }),
      )
      return found.flat()
    },
  }
}

/** Systems keep the times of files in coarse steps, a little behind the clock. */
const FILE_TIME_STEP_MS = 20

/** Also a file that was moved here has come just now, however old its content. */
async function touchedMs(file: string): Promise<number> {
  try {
    const { mtimeMs, ctimeMs } = await stat(file)
    return Math.max(mtimeMs, ctimeMs)
  } catch {
    return 0
  }
}

async function stampOf(file: string): Promise<string> {
  try {
    const { mtimeMs, ctimeMs, size, ino } = await stat(file)
    return [mtimeMs, ctimeMs, size, ino].join(' ')
  } catch {
    return MISSING
  }
}

/** What no file's print is. */
const UNREAD = 'unread'
const MISSING = 'missing'

async function printOf(file: string): Promise<string> {
  try {
    return createHash('sha256')
      .update(await readFile(file))
      .digest('base64')
  } catch {
    return MISSING
  }
}
