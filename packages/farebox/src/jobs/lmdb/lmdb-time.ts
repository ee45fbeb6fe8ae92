import type { RootDatabase } from 'lmdb'
import type { MachineClock } from '../machine-clock.ts'

/**
 * The time of a folder, which advances while the machine runs and is independent of changes to the machine's clock
 * (D40).
 */
export interface LmdbTime {
  /**
   * Identifies this run of the machine; when the system has no id for it, the offset of the folder's time is used,
   * which differs in each run.
   */
  readonly run: string
  nowMs(): number
  /** Stores the time of the folder, for a later run of the machine. Call it inside a transaction. */
  note(): void
}

/** The stored time of the folder. */
interface Anchor {
  readonly boot: string | undefined
  /** The offset between the time since boot and the folder's time. */
  readonly offsetMs: number
  readonly storeMs: number
  /** The machine's clock at that time. */
  readonly wallMs: number
}

const KEY = 'anchor'

/**
 * Opens the time of a folder. All processes in one run of the machine agree on it, because they add the same offset to
 * the same time since boot.
 *
 * After a restart the time continues from the stored value, plus the time since the restart or the difference of the
 * machine's clock, whichever is less: a record may be kept too long, but never expires early. A new folder starts at
 * the machine's clock.
 */
export function openLmdbTime(root: RootDatabase, machine: MachineClock): LmdbTime {
  const time = root.openDB<string, string>('time', { encoding: 'string' })
  const offsetMs = root.transactionSync(() => {
    const anchor = readAnchor(time.get(KEY))
    const offset = offsetFrom(anchor, machine)
    if (offset !== anchor?.offsetMs || anchor.boot !== machine.boot)
      time.putSync(KEY, written(machine, offset))
    return offset
  })
  return {
    run: machine.boot ?? `at-${offsetMs}`,
    nowMs: () => machine.sinceBootMs() + offsetMs,
    note: () => time.putSync(KEY, written(machine, offsetMs)),
  }
}

function offsetFrom(anchor: Anchor | undefined, machine: MachineClock): number {
  const sinceBootMs = machine.sinceBootMs()
  if (anchor === undefined) return machine.nowMs() - sinceBootMs
  const { boot, offsetMs, storeMs, wallMs } = anchor
  if (boot === machine.boot && sinceBootMs + offsetMs >= storeMs) return offsetMs
  const passedMs = Math.max(0, Math.min(sinceBootMs, machine.nowMs() - wallMs))
  return storeMs + passedMs - sinceBootMs
}

function written(machine: MachineClock, offsetMs: number): string {
  const anchor: Anchor = {
    boot: machine.boot,
    offsetMs,
    storeMs: machine.sinceBootMs() + offsetMs,
    wallMs: machine.nowMs(),
  }
  return JSON.stringify(anchor)
}

function readAnchor(text: string | undefined): Anchor | undefined {
  // Only this file writes the value, so its shape is known.
  return text === undefined ? undefined : (JSON.parse(text) as Anchor)
}
