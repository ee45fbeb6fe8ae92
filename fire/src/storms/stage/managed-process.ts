import { setTimeout as delay } from 'node:timers/promises'
import type { ChildExit } from '@farebox/local/src/processes/child-process'

/** What can be killed. */
export type ManagedKind = 'agent' | 'facilitator' | 'postgres' | 'redis'

/** A process of the stage: it can be killed at any moment, and comes back where it was. */
export interface ManagedProcess {
  readonly kind: ManagedKind
  readonly name: string
  /** Undefined while it is down. */
  readonly pid: number | undefined
  /** Starts it. Where it ran before, it is tried again and again: what it depends on may be down too. */
  start(): Promise<void>
  /** SIGKILL; resolves once it is gone. */
  kill(): Promise<void>
  /** SIGTERM; resolves once it has ended, undefined where it was down. */
  stop(): Promise<Ending | undefined>
}

/** How a process ended that was asked to. */
export interface Ending {
  /** Null where a signal ended it. */
  readonly code: number | null
  /** The end of its output. */
  readonly lastLines: string
}

/** One run of a program, between a start and an end. */
export interface ProcessRun {
  readonly pid: number
  /** Resolves when it ends, for whatever reason; absent where it cannot be known. */
  readonly exited?: Promise<Ending>
  /** SIGKILL. */
  kill(): Promise<void>
  /** SIGTERM or its equivalent. */
  stop(): Promise<unknown>
}

/** Ends hangs, and judges nothing. */
export const HANG_MS = 600_000
const START_AGAIN_MS = 100

/**
 * Makes a managed process from a way to launch it.
 *
 * @param onDeath called where it ended without having been asked to; it is started again all the same
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
  const take = (): ProcessRun | undefined => {
    const taken = current
    current = undefined
    return taken
  }
  return {
    kind,
    name,
    get pid() {
      return current?.pid
    },
    start,
    kill: async () => await take()?.kill(),
    async stop() {
      const ending = take()
      if (ending === undefined) return undefined
      await ending.stop()
      return (await ending.exited) ?? { code: 0, lastLines: '' }
    },
  }
}

/** The run of an agent or a facilitator: one process, without children. */
export function processRunOf({
  pid,
  exited,
}: {
  readonly pid: number
  readonly exited: Promise<ChildExit>
}): ProcessRun {
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    // It may have ended in this very moment: the system then knows no such process.
    try {
      process.kill(pid, signal)
    } catch {
      // Nothing to end.
    }
    await exited
  }
  return {
    pid,
    exited,
    kill: () => end('SIGKILL'),
    async stop() {
      const hang = setTimeout(() => void end('SIGKILL'), HANG_MS)
      await end('SIGTERM')
      clearTimeout(hang)
    },
  }
}

async function launchWithRetries(name: string, launch: () => Promise<ProcessRun>): Promise<ProcessRun> {
  const giveUpMs = performance.now() + HANG_MS
  for (;;) {
    try {
      return await launch()
    } catch (error) {
      if (performance.now() > giveUpMs) throw new Error(`${name} does not start again`, { cause: error })
      await delay(START_AGAIN_MS)
    }
  }
}
