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

/** @param onChange called with a file that may have changed */
export function watchSources(clock: Clock, onChange: (file: string) => void): SourceWatch {
  const fingerprints = createFingerprints()
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
      // Loaded when there is something to watch: the first process is up by then.
      watch ??= import('./watch-files.ts').then(({ watchFiles }) => watchFiles(onChange))
      const { follow } = await watch
      if (!isClosed) follow(files)
    },
    changed: files => fingerprints.changed(files),
    lookAgain() {
      clock.after(LOOK_AGAIN_MS, () => {
        if (!isClosed) void fingerprints.changed(followed).then(changed => changed.forEach(onChange))
      })
    },
    async close() {
      isClosed = true
      await (await watch)?.close()
    },
  }
}
