import { setTimeout as delay } from 'node:timers/promises'

/** What can be killed. */
export type MortalKind = 'agent' | 'facilitator' | 'postgres' | 'redis'

/** A process of the stage: it can be killed at any moment, and comes back where it was. */
export interface Mortal {
  readonly kind: MortalKind
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
export interface Life {
  readonly pid: number
  /** Resolves when it ends, for whatever reason; absent where nobody can tell. */
  readonly exited?: Promise<{ readonly code: number | null; readonly lastLines: string }>
  /** SIGKILL. */
  kill(): Promise<void>
  /** SIGTERM or what it takes for it. */
  stop(): Promise<unknown>
}

const START_AGAIN_MS = 100
const START_PATIENCE_MS = 60_000

/**
 * Makes a mortal of a way to launch it.
 *
 * @param onDeath told where it ended without having been asked to; it is started again all the same
 */
export function createMortal(
  { kind, name }: Pick<Mortal, 'kind' | 'name'>,
  launch: () => Promise<Life>,
  onDeath: (name: string, lastLines: string) => void,
): Mortal {
  let life: Life | undefined
  let ranBefore = false
  const start = async (): Promise<void> => {
    const started = await (ranBefore ? launchPatiently(name, launch) : launch())
    life = started
    ranBefore = true
    void started.exited?.then(async ({ lastLines }) => {
      if (life !== started) return
      life = undefined
      onDeath(name, lastLines)
      await start().catch(() => undefined)
    })
  }
  return {
    kind,
    name,
    get pid() {
      return life?.pid
    },
    start,
    async kill() {
      const dying = life
      life = undefined
      await dying?.kill()
      return dying?.pid
    },
    async stop() {
      const ending = life
      life = undefined
      if (ending === undefined) return undefined
      const askedMs = performance.now()
      await ending.stop()
      const { code = 0, lastLines = '' } = (await ending.exited) ?? {}
      return { code, tookMs: performance.now() - askedMs, lastLines }
    },
  }
}

async function launchPatiently(name: string, launch: () => Promise<Life>): Promise<Life> {
  const giveUpMs = performance.now() + START_PATIENCE_MS
  for (;;) {
    try {
      return await launch()
    } catch (error) {
      if (performance.now() > giveUpMs) throw new Error(`${name} does not start again`, { cause: error })
      await delay(START_AGAIN_MS)
    }
  }
}
