import type { Clock } from 'farebox'

/** Changes within a short time, combined. */
export interface Changes {
  readonly files: readonly string[]
  readonly isForced: boolean
  /** The time of the first change, Unix milliseconds. */
  readonly sinceMs: number
}

export interface ChangeDebouncer {
  /** @param file omitted when something other than a file has changed */
  add(file?: string): void
  stop(): void
}

/** After this time without a change, a save is complete: editors write in several steps. */
const QUIET_MS = 30
/** After this many changes, a larger operation such as a checkout or a formatter is assumed, which pauses longer. */
const MANY_CHANGES = 20
const QUIET_AFTER_MANY_MS = 150
/** Changes without a pause are acted on after this time. */
const MAX_DELAY_MS = 2_000

export interface ChangeActor {
  /** Resolves when the actor could start at once: changes until then are combined. */
  ready(): Promise<void>
  /** Must not reject. */
  act(changes: Changes): Promise<void>
}

/**
 * Collects changes until there is a pause, then acts on all of them together. Changes during an action are acted on
 * afterwards: no two actions overlap, and no change is lost.
 */
export function debounceChanges(clock: Clock, actor: ChangeActor): ChangeDebouncer {
  let files = new Set<string>()
  let isForced = false
  let count = 0
  let sinceMs = 0
  let isActing = false
  let isStopped = false
  let cancel = (): void => undefined

  function wait(): void {
    cancel()
    const quietMs = count > MANY_CHANGES ? QUIET_AFTER_MANY_MS : QUIET_MS
    cancel = clock.after(Math.max(0, Math.min(quietMs, remainingMs())), () => {
      // On a busy machine this may be called before earlier changes are delivered, so those get a turn first.
      cancel = clock.after(0, () => void actWhenReady())
    })
  }

  function remainingMs(): number {
    return sinceMs + MAX_DELAY_MS - clock.nowMs()
  }

  async function actWhenReady(): Promise<void> {
    const countBefore = count
    await actor.ready()
    // Changes in the meantime have set a new time to wait.
    if (isActing || isStopped || (count !== countBefore && remainingMs() > 0)) return
    cancel()
    const changes = { files: [...files], isForced, sinceMs }
    files = new Set()
    isForced = false
    count = 0
    isActing = true
    await actor.act(changes)
    isActing = false
    if (count > 0 && !isStopped) wait()
  }

  return {
    add(file) {
      if (isStopped) return
      if (count === 0) sinceMs = clock.nowMs()
      if (file === undefined) isForced = true
      else files.add(file)
      count += 1
      if (!isActing) wait()
    },
    stop() {
      isStopped = true
      cancel()
    },
  }
}
