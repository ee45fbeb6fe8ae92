import { readdirSync, readFileSync } from 'node:fs'

/**
 * Processes whose CPU time is read together: `server` alone, or `chain` with all its threads. For a program that works
 * in child processes, as PostgreSQL does, `family` counts those too, including ended ones.
 */
export interface ProcessGroup {
  readonly pids: readonly number[]
  readonly family?: boolean
}

/** Kernel ticks a second, as `/proc` counts them on every Linux that Node runs on (`getconf CLK_TCK`). */
const TICKS_PER_SECOND = 100

/** User and system time of a group so far, in milliseconds, in steps of 10. Throws where a process has ended. */
export function cpuMs({ pids, family = false }: ProcessGroup): number {
  const ticks = pids.flatMap(pid => {
    const own = readStat(pid)
    if (!family) return [own.ownTicks]
    return [own.ownTicks + own.waitedForTicks, ...childrenOf(pid).map(child => child.ownTicks)]
  })
  return (ticks.reduce((sum, one) => sum + one, 0) * 1_000) / TICKS_PER_SECOND
}

/** Throws where CPU time cannot be read at all. */
export function requireCpuTimes(): void {
  if (process.platform !== 'linux') throw new Error('the bench reads CPU times from /proc: run it on Linux')
}

interface Stat {
  readonly parent: number
  /** utime + stime */
  readonly ownTicks: number
  /** cutime + cstime: of children that ended and were waited for. */
  readonly waitedForTicks: number
}

/** proc_pid_stat(5). The name may hold spaces and brackets, so fields are counted from the last bracket. */
function readStat(pid: number): Stat {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  // The first of these is field 3.
  const field = (number: number): number => fields[number - 3] ?? Number.NaN
  return { parent: field(4), ownTicks: field(14) + field(15), waitedForTicks: field(16) + field(17) }
}

function childrenOf(pid: number): readonly Stat[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        const stat = readStat(Number(name))
        return stat.parent === pid ? [stat] : []
      } catch {
        // It ended during the read: its time is in its parent's now, or it was not ours.
        return []
      }
    })
}
