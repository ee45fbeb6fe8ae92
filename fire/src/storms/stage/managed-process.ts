import type { ChildExit } from '@farebox/local/src/starting/child-exit'
import { until } from '@farebox/protocol/src/test-setup/until'

/** The kinds of processes that can be killed. */
export type ManagedKind = 'agent' | 'facilitator' | 'postgres' | 'redis' | 'other'

/** A process of the stage: it can be ended at any moment, and is restarted at the same address. */
export interface ManagedProcess {
  readonly kind: ManagedKind
  readonly name: string
  /** Undefined while it is down. */
  pid(): number | undefined
  /** Its run, which the caller ends: it is down now. Undefined if it was down already. */
  take(): Life | undefined
  /** Starts it again, and repeats until that succeeds: its dependencies may be down too. */
  start(): Promise<void>
}

/** One run of a program, between a start and an end. */
export interface Life {
  readonly pid: number
  /** Absent if it cannot be known. */
  readonly exited?: Promise<ChildExit>
  /** Ends it in ten seconds or a minute, or cleans up after its end. */
  stop(): Promise<unknown>
}

/** Only ends hangs. */
export const HANG_MS = 600_000
const START_AGAIN_MS = 100

/**
 * Starts a process that can be killed; resolves to its first run as well.
 *
 * @param onDeath called if it ended without having been killed here; it is restarted in any case
 */
export async function manageProcess<Started extends Life>(
  kind: ManagedKind,
  name: string,
  launch: () => Promise<Started>,
  onDeath: (lastLines: string) => void,
): Promise<readonly [ManagedProcess, Started]> {
  let current: Life | undefined
  const watch = (life: Life): void => {
    current = life
    void life.exited?.then(async ({ lastLines }) => {
      if (current !== life) return
      current = undefined
      onDeath(lastLines)
      await managed.start().catch(() => undefined)
    })
  }
  const managed: ManagedProcess = {
    kind,
    name,
    pid: () => current?.pid,
    take() {
      const life = current
      current = undefined
      return life
    },
    start: async () => watch(await until(() => launch().catch(() => undefined), START_AGAIN_MS)),
  }
  const first = await launch()
  watch(first)
  return [managed, first]
}
