import type { Clock } from 'farebox'
import type { FileWatch } from './watch-files.ts'
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'

/** The files of a version of the agent, and whether they have changed. */
export interface SourceWatch {
  /** Announces that the files are about to be read: later changes count as changes. */
  startReading(): Promise<void>
  /** Sets the files that were read or looked for; they are watched from now on. */
  follow(files: readonly string[]): Promise<void>
  /** Returns the files whose content differs from when they were read. */
  changed(files: readonly string[]): Promise<readonly string[]>
  /** Checks every file a little later, because watchers skip changes that come close together. */
  lookAgain(): void
  close(): Promise<void>
}

const LOOK_AGAIN_MS = 120
/**
 * A watch may be set up shortly after a change, and some file systems report none, so all files are also checked
 * periodically.
 */
const SWEEP_EVERY_MS = 1_000

export type OpenWatch = (onChange: (file: string) => void) => Promise<FileWatch>

/**
 * @param onChange called with a file that may have changed
 * @param openWatch called when there is something to watch; the first process has started by then
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
  /** Records the current content of the files, replacing all earlier records. */
  note(files: readonly string[]): Promise<void>
  /**
   * Records files that were not known before, and returns those that were created or written since the given time: an
   * earlier read may have seen older content, so they count as changed.
   */
  noteNew(files: readonly string[], sinceMs: number): Promise<readonly string[]>
  /** Returns the files whose content differs from the record; files without a record are ignored. */
  changed(files: readonly string[]): Promise<readonly string[]>
  /**
   * Returns the recorded files that were written, moved or removed since the last check, by their timestamps; reads no
   * content.
   */
  touched(): Promise<readonly string[]>
}

/** Compares content: saving a file without a change of its content, which only changes its timestamp, does not count. */
export function createFingerprints(): Fingerprints {
  let noted = new Map<string, string>()
  const stamps = new Map<string, string>()
  const read = async (file: string): Promise<string> => {
    // The order matters: a change in between is found by the next check.
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
          // The order matters: a change in between makes the timestamp newer.
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

/** Systems store file timestamps in coarse steps, slightly behind the clock. */
const FILE_TIME_STEP_MS = 20

/** Returns the time of the last change; moving a file here counts, however old its content is. */
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

/** A value that differs from every file's fingerprint. */
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
