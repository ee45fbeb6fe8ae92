import type { RootDatabase } from 'lmdb'
import type { MachineClock } from '../machine-clock.ts'

/** The time of a folder: it passes while the machine runs, whatever its clock is set to (D40). */
export interface LmdbTime {
  /** Names this run of the machine; where the system does not, by what is added to its time, which is another in each. */
  readonly run: string
  nowMs(): number
  /** Writes down the time of the folder, for a later run of the machine. Called inside a transaction. */
  note(): void
}

/** Where the folder's time stood when it was last written down. */
interface Anchor {
  readonly boot: string | undefined
  /** What is added to the time since boot. */
  readonly offsetMs: number
  readonly storeMs: number
  /** The machine's clock at that moment. */
  readonly wallMs: number
}

const KEY = 'anchor'

/**
 * Opens the time of a folder. All processes of one run of the machine agree on it, because they add the same to the same
 * time since boot.
 *
 * After a restart it goes on where it stood, by the time since the restart or by what the machine's clock says, whichever
 * is less: a record is rather kept for too long than forgotten early. A new folder begins at the machine's clock.
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
  // Only this file writes it.
  return text === undefined ? undefined : (JSON.parse(text) as Anchor)
}
