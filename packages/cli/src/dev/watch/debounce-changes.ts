import type { Clock } from 'farebox'

/** Changes that came close together, as one. */
export interface Changes {
  readonly files: readonly string[]
  readonly isForced: boolean
  /** When the first of them came, Unix milliseconds. */
  readonly sinceMs: number
}

export interface ChangeDebouncer {
  /** @param file absent: something else than a file has changed */
  add(file?: string): void
  stop(): void
}

/** Quiet for so long, and a save is over: editors write in several steps. */
const QUIET_MS = 30
/** After many changes something bigger is going on, a checkout or a formatter: it pauses longer in between. */
const MANY_CHANGES = 20
const QUIET_AFTER_MANY_MS = 150
/** Changes that never pause are loaded all the same. */
const MAX_DELAY_MS = 2_000

export interface ChangeActor {
  /** Resolves when it could begin at once: what comes until then is acted upon together. */
  ready(): Promise<void>
  /** Must not reject. */
  act(changes: Changes): Promise<void>
}

/**
 * Gathers changes until there is quiet, then acts upon all of them at once. What comes while they are being acted upon
 * waits and is acted upon next: never two at a time, and never one too few.
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
      // On a busy machine this may be called before changes of long ago are: they have a turn first.
      cancel = clock.after(0, () => void actWhenReady())
    })
  }

  function remainingMs(): number {
    return sinceMs + MAX_DELAY_MS - clock.nowMs()
  }

  async function actWhenReady(): Promise<void> {
    const countBefore = count
    await actor.ready()
    // Whatever came meanwhile has set a new time to wait.
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
