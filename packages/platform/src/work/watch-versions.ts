import { sleep, type Clock } from '@farebox/protocol/time/clock'
import { describeError, type Log } from '@farebox/server/log'
import type { Channel } from './channel.ts'
import { createNotifier } from './notifier.ts'

/** Reports changes of resources to any number of watchers. */
export interface VersionWatch {
  /**
   * Yields the current version of a resource, and the new version after each change; several changes in a short time
   * are reported as one. Ends when the signal aborts, or when the resource does not exist.
   */
  versions(id: string, signal: AbortSignal): AsyncGenerator<string>
  /** Whether this is the current version of the resource. */
  isNow(id: string, version: string): Promise<boolean>
}

const LOOK_EVERY_MS = 250
/** Changes within this time after the first one are found by the same query. */
const GATHER_MS = 10
const NEVER = new AbortController().signal

interface Watcher {
  readonly id: string
  version: string | undefined
  /** Called when the version has changed, or the resource no longer exists. */
  wake: () => void
}

/** The dependencies of watching. */
export interface WatchParts {
  readonly clock: Clock
  readonly log: Log
  /** Ids of resources that this process has changed; their versions are read soon. */
  readonly due: { readonly changes: Channel<string> }
}

type ReadVersions = (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>

/** The state of watching in one process. */
interface Watch extends WatchParts {
  readonly readVersions: ReadVersions
  readonly watchers: Set<Watcher>
  isLooking: boolean
}

/**
 * Creates the watch of one process. However many watchers there are, the database gets one short query at a time, four
 * times a second and soon after each change by this process, and none without watchers. A version depends on the thing
 * alone, so it is the same in every process.
 *
 * @param readVersions - reads versions by id; ids of missing things are omitted
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
    // A failed query is logged and repeated, because the database will become available again; streams end after their
    // own time.
    if (watchers.size > 0)
      await look(watch).catch((error: unknown) => {
        log.warn('could not check for changes', { error: describeError(error) })
      })
  }
  unsubscribe()
  watch.isLooking = false
}

async function look({ watchers, readVersions }: Watch): Promise<void> {
  // Watchers added during the query are not in its result.
  const asked = [...watchers]
  const versions = await readVersions([...new Set(asked.map(({ id }) => id))])
  for (const watcher of asked) {
    const version = versions.get(watcher.id)
    if (version === watcher.version) continue
    watcher.version = version
    watcher.wake()
  }
}
