import { readFileSync } from 'node:fs'

/** The resource usage of a process. */
export interface ProcessUsage {
  /** Resident memory in bytes. */
  readonly residentBytes: number
  /** CPU time since the start, in milliseconds. */
  readonly cpuMs: number
}

/** proc_pid_stat(5) counts in ticks of `sysconf(_SC_CLK_TCK)`, which is 100 on all systems that Node supports. */
const MS_PER_TICK = 10

/**
 * Reads the usage of a process. Undefined when the process has ended, and on systems other than Linux: there only V8's
 * limit applies, and priorities are not changed.
 */
export function readUsage(pid: number): ProcessUsage | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    // proc_pid_status(5): in kB, independent of the page size.
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The process name is in parentheses and may contain blanks; user and system time are the 12th and 13th fields
    // after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const cpuMs = (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
    return kilobytes === undefined ? undefined : { residentBytes: Number(kilobytes) * 1_024, cpuMs }
  } catch {
    return undefined
  }
}
