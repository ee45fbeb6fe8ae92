import { readFileSync } from 'node:fs'

/** What a process uses of the machine. */
export interface ProcessUsage {
  /** Bytes of memory it holds now. */
  readonly residentBytes: number
  /** Milliseconds of a core since it was started. */
  readonly cpuMs: number
}

/** proc_pid_stat(5) counts in ticks of `sysconf(_SC_CLK_TCK)`, which is 100 wherever Node runs. */
const MS_PER_TICK = 10

/**
 * Undefined where the process is gone, and where the system does not tell (all but Linux): there V8's own bound of
 * memory is the only one, and the scheduler is left to itself.
 */
export function readUsage(pid: number): ProcessUsage | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    // proc_pid_status(5): in kB, whatever the size of a page is.
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name stands in parentheses and may hold blanks; user and system time are the 12th and 13th after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const cpuMs = (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
    return kilobytes === undefined ? undefined : { residentBytes: Number(kilobytes) * 1_024, cpuMs }
  } catch {
    return undefined
  }
}
