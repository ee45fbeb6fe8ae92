import { readFileSync } from 'node:fs'
import { systemClock } from '@farebox/protocol/time/clock'

/** The time of a machine, for what its processes share and what outlives them. */
export interface MachineClock {
  /** Names this run of the machine: another after a restart. Undefined where the system does not name its runs. */
  readonly boot: string | undefined
  /** Milliseconds since then, the same for all processes; nobody can set it. */
  sinceBootMs(): number
  /** Unix milliseconds; may be set at any moment. */
  nowMs(): number
}

/** This machine's. Where the system does not name its runs, a time since boot that starts again shows that it is another one. */
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
