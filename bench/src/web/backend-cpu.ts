import { cpuMs } from '../rounds/cpu-time.ts'
import { query } from './query.ts'

/** CPU time of the PostgreSQL processes that serve one program, where they run on this machine. */
export interface BackendCpu {
  /** Since it was asked last; undefined where it cannot be told. */
  spentMs(): Promise<number | undefined>
}

/** Tells them by the name that the program gives itself in its connection string. */
export function createBackendCpu(connectionString: string, applicationName: string): BackendCpu {
  const isHere = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(connectionString).hostname)
  let before = new Map<number, number>()
  return {
    async spentMs() {
      if (!isHere) return undefined
      const sql = `select array_agg(pid) from pg_stat_activity where application_name = '${applicationName}'`
      const pids = (await query(connectionString, sql)) as readonly number[] | null
      const now = new Map((pids ?? []).flatMap(pid => readMs(pid)))
      const spent = [...now].map(([pid, ms]) => ms - (before.get(pid) ?? 0))
      before = now
      return spent.reduce((sum, ms) => sum + ms, 0)
    },
  }
}

/** None for one that has ended meanwhile. */
function readMs(pid: number): readonly (readonly [number, number])[] {
  try {
    return [[pid, cpuMs({ pids: [pid] })]]
  } catch {
    return []
  }
}
