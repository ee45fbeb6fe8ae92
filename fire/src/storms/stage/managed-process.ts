import { setTimeout as delay } from 'node:timers/promises'

/** What can be killed. */
export type ManagedKind = 'agent' | 'facilitator' | 'postgres' | 'redis'

/** A process of the stage: it can be killed at any moment, and comes back where it was. */
export interface ManagedProcess {
  readonly kind: ManagedKind
  readonly name: string
  /** Undefined while it is down. */
  readonly pid: number | undefined
  /**
   * Starts it. Where it ran before, it is tried for a minute: what it stands on may be down too.
   * Rejects where it does not start.
   */
  start(): Promise<void>
  /** SIGKILL; resolves with its pid once it is gone, undefined where it was down. */
  kill(): Promise<number | undefined>
  /** SIGTERM; resolves once it has ended. */
  stop(): Promise<Ending | undefined>
}

/** How a process ended that was asked to. */
export interface Ending {
  /** Null where a signal ended it. */
  readonly code: number | null
  readonly tookMs: number
  /** The end of what it said. */
  readonly lastLines: string
}

/** One run of a program, between a start and an end. */
export interface ProcessRun {
  readonly pid: number
  /** Resolves when it ends, for whatever reason; absent where nobody can tell. */
  readonly exited?: Promise<{ readonly code: number | null; readonly lastLines: string }>
  /** SIGKILL. */
  kill(): Promise<void>
  /** SIGTERM or what it takes for it. */
  stop(): Promise<unknown>
}

const START_AGAIN_MS = 100
const START_TIMEOUT_MS = 60_000

/**
 * Makes a managed process from a way to launch it.
 *
 * @param onDeath told where it ended without having been asked to; it is started again all the same
 */
export function manageProcess(
  { kind, name }: Pick<ManagedProcess, 'kind' | 'name'>,
  launch: () => Promise<ProcessRun>,
  onDeath: (name: string, lastLines: string) => void,
): ManagedProcess {
  let current: ProcessRun | undefined
  let ranBefore = false
  const start = async (): Promise<void> => {
    const started = await (ranBefore ? launchWithRetries(name, launch) : launch())
    current = started
    ranBefore = true
    void started.exited?.then(async ({ lastLines }) => {
      if (current !== started) return
      current = undefined
      onDeath(name, lastLines)
      await start().catch(() => undefined)
    })
  }
  return {
    kind,
    name,
    get pid() {
      return current?.pid
    },
    start,
    async kill() {
      const dying = current
      current = undefined
      await dying?.kill()
      return dying?.pid
    },
    async stop() {
      const ending = current
      current = undefined
      if (ending === undefined) return undefined
      const askedMs = performance.now()
      await ending.stop()
      const { code = 0, lastLines = '' } = (await ending.exited) ?? {}
      return { code, tookMs: performance.now() - askedMs, lastLines }
    },
  }
}

async function launchWithRetries(name: string, launch: () => Promise<ProcessRun>): Promise<ProcessRun> {
  const giveUpMs = performance.now() + START_TIMEOUT_MS
  for (;;) {
    try {
      return await launch()
    } catch (error) {
      if (performance.now() > giveUpMs) throw new Error(`${name} does not start again`, { cause: error })
      await delay(START_AGAIN_MS)
    }
  }
}
