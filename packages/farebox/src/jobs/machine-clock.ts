import { readFileSync } from 'node:fs'
import { systemClock } from '@farebox/protocol/time/clock'

/** The time of a machine, for data that several processes share or that outlives them. */
export interface MachineClock {
  /** Identifies this run of the machine; it changes with a restart. Undefined when the system has no such id. */
  readonly boot: string | undefined
  /** Milliseconds since boot, the same for all processes; it cannot be set. */
  sinceBootMs(): number
  /** Unix milliseconds; the clock may be set at any time. */
  nowMs(): number
}

/** The clock of this machine. Without a boot id, a restart is detected by a time since boot that has become smaller. */
export const machineClock: MachineClock = {
  boot: readBoot(),
  sinceBootMs: () => Number(process.hrtime.bigint() / 1_000_000n),
  nowMs: systemClock.nowMs,
}

function readBoot(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return undefined
  }
}
