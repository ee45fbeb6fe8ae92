import { sleep, type Clock } from '@farebox/protocol/time/clock'
import { describeError, type Log } from '@farebox/server/log'
import type { Channel } from './channel.ts'
import { createNotifier } from './notifier.ts'

/** Says when things change, to any number of watchers. */
export interface VersionWatch {
  /**
   * The version of a thing now, and again after each change; several in a short time are one. Ends with the signal, or when
   * there is no such thing.
   */
  versions(id: string, signal: AbortSignal): AsyncGenerator<string>
  /** Whether this is the version of the thing now. */
  isNow(id: string, version: string): Promise<boolean>
}

const LOOK_EVERY_MS = 250
/** Changes within so long after one are found by one look. */
const GATHER_MS = 10
const NEVER = new AbortController().signal

interface Watcher {
  readonly id: string
  version: string | undefined
  /** Called when there is something new, or nothing more to come. */
  wake: () => void
}

/** What watching takes. */
export interface WatchParts {
  readonly clock: Clock
  readonly log: Log
  /** Ids of what this process has changed: it is looked at soon. */
  readonly due: { readonly changes: Channel<string> }
}

type ReadVersions = (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>

/** What one process watches. */
interface Watch extends WatchParts {
  readonly readVersions: ReadVersions
  readonly watchers: Set<Watcher>
  isLooking: boolean
}

/**
 * Watches for one process: however many watchers there are, the database is asked one short question at a time, four times
 * a second and soon after each change by this process, and none while nobody watches. A version depends on the thing alone, so
 * that it is the same in every process.
 *
 * @param readVersions by id; without those that there are not
 */
export function createVersionWatch(parts: WatchParts, readVersions: ReadVersions): VersionWatch {
  const watch: Watch = { ...parts, readVersions, watchers: new Set(), isLooking: false }
  return {
    isNow: async (id, version) => (await readVersions([id])).get(id) === version,
    versions: (id, signal) => followVersions(watch, id, signal),
  }
}

async function* followVersions(watch: Watch, id: string, signal: AbortSignal): AsyncGenerator<string> {
  const { watchers, readVersions } = watch
  let seen = (await readVersions([id])).get(id)
  if (seen === undefined || signal.aborted) return
  const watcher: Watcher = { id, version: seen, wake: () => undefined }
  const wake = (): void => watcher.wake()
  watchers.add(watcher)
  signal.addEventListener('abort', wake)
  void lookWhileWatched(watch)
  try {
    yield seen
    while (!signal.aborted) {
      if (watcher.version === seen) await new Promise<void>(resolve => (watcher.wake = resolve))
      if (watcher.version === seen) continue
      seen = watcher.version
      if (seen === undefined || signal.aborted) return
      yield seen
    }
  } finally {
    watchers.delete(watcher)
    signal.removeEventListener('abort', wake)
  }
}

/** One loop for all watchers, for as long as there are any. */
async function lookWhileWatched(watch: Watch): Promise<void> {
  const { clock, log, due, watchers } = watch
  if (watch.isLooking) return
  watch.isLooking = true
  const soon = createNotifier(clock)
  const unsubscribe = due.changes.subscribe(changed => {
    if ([...watchers].some(({ id }) => id === changed)) soon.notify()
  })
  while (watchers.size > 0) {
    if (await soon.wait(LOOK_EVERY_MS, NEVER)) await sleep(clock, GATHER_MS)
    // A database that is away is back some day; streams end by themselves.
    if (watchers.size > 0)
      await look(watch).catch((error: unknown) => {
        log.warn('changes were not watched', { error: describeError(error) })
      })
  }
  unsubscribe()
  watch.isLooking = false
}

async function look({ watchers, readVersions }: Watch): Promise<void> {
  // Those that come meanwhile are not in the answer.
  const asked = [...watchers]
  const versions = await readVersions([...new Set(asked.map(({ id }) => id))])
  for (const watcher of asked) {
    const version = versions.get(watcher.id)
    if (version === watcher.version) continue
    watcher.version = version
    watcher.wake()
  }
}
