import { sleep, type Clock } from '@farebox/protocol/time/clock'
import { within } from '@farebox/protocol/internal/time/within'
import type { Database } from './connect.ts'
import { isDatabaseAway, provesNothingDone } from './database-failure.ts'
import { createWaitingRoom, type Visitor } from './waiting-room.ts'

/** The gate for new work of one process, which is closed while the database is unavailable. */
export interface OutageGate {
  /** Whether new work would wait now. */
  isShut(): boolean
  /** Begins a request's visit; its time limit counts from now. */
  enter(visitor: Visitor): Visit
  /** Ends all waiting, because the process stops. */
  close(): void
}

/** A request's visit. */
export interface Visit {
  /**
   * Runs a step once the database is there. Where the step fails in a way that proves that nothing was done, it is run again
   * once the database is back. The step must be safe to repeat as a whole.
   *
   * @param bytes - the memory that the request takes now, where that differs from the visitor's
   * @throws {DatabaseAwayError} when the database stays away for too long, or too much waits already: nothing was done; the
   *   signal's reason when the caller has gone; the error of the step otherwise
   */
  run<T>(step: () => Promise<T>, bytes?: number): Promise<T>
}

/** The dependencies of a gate. */
export interface OutageGateOptions {
  /** Whether the database accepts writes now; a rejection means that it does not. */
  readonly takesWrites: () => Promise<boolean>
  readonly clock: Clock
  /** Called when requests begin to wait for a database that does not answer, and when it is back. */
  readonly onChange?: ((isAway: boolean) => void) | undefined
}

/** Longer than a failover, which takes 20 to 25 s, and shorter than the timeouts of proxies in front of us. */
export const MOST_WAIT_MS = 30_000
/** The interval of checks whether the database is back. */
const PAUSE_MS = 250

/** A slower answer counts as none: a machine that vanished leaves silent connections. */
const ANSWER_MS = 2_000

/** Creates the gate of one process. It is open until a step fails because the database is unavailable. */
export function createOutageGate({ takesWrites, clock, onChange }: OutageGateOptions): OutageGate {
  const closing = new AbortController()
  const room = createWaitingRoom(clock)
  let isShut = false
  let openedAtMs = -Infinity

  const untilBack = async (): Promise<void> => {
    // Most failures are of a single broken connection, so the first check is immediate, unless the last one was a
    // moment ago.
    if (clock.nowMs() - openedAtMs < PAUSE_MS) await sleep(clock, PAUSE_MS, closing.signal)
    for (let isAway = false; !closing.signal.aborted; await sleep(clock, PAUSE_MS, closing.signal)) {
      const isBack =
        (await within(
          clock,
          ANSWER_MS,
          takesWrites().catch(() => false),
        )) === true
      if (isBack === isAway) onChange?.(!isBack)
      if (isBack) return
      isAway = true
    }
  }
  const suspect = (): void => {
    if (isShut) return
    isShut = true
    void untilBack().then(() => {
      isShut = false
      openedAtMs = clock.nowMs()
      room.open()
    })
  }
  const visit = async <T>(visitor: Visitor, untilMs: number, step: () => Promise<T>): Promise<T> => {
    for (;;) {
      if (isShut) await room.wait(visitor, untilMs)
      try {
        return await step()
      } catch (error) {
        if (!isDatabaseAway(error)) throw error
        suspect()
        if (!provesNothingDone(error)) throw error
      }
    }
  }
  return {
    isShut: () => isShut,
    enter(visitor) {
      const untilMs = clock.nowMs() + MOST_WAIT_MS
      return { run: (step, bytes = visitor.bytes) => visit({ ...visitor, bytes }, untilMs, step) }
    },
    close() {
      closing.abort()
      room.close()
    },
  }
}

/** For stores that are always available: nothing waits. */
export const OPEN_GATE: OutageGate = {
  isShut: () => false,
  enter: () => ({ run: step => step() }),
  close: () => undefined,
}

/** Whether the server accepts writes: a standby, and a demoted primary, only answer reads. */
export async function takesWrites({ query }: Pick<Database, 'query'>): Promise<boolean> {
  const [row] = await query<{ readonly takes: boolean }>(
    'takes-writes',
    `select current_setting('transaction_read_only') = 'off' as takes`,
  )
  return row?.takes === true
}
