import type { Holder } from '../holder.ts'
import type { JobRow } from '../job-row.ts'
import type { LmdbTables } from './lmdb-tables.ts'

/** The rows of the jobs that this process holds, as it wrote them: each is read again only where somebody else wrote. */
export interface HeldRows {
  /** The row, where this holder's fence is still the job's. Called inside a transaction. */
  find(holder: Holder, nowMs: number): JobRow | undefined
  /** Remembers what was put, while its holder may write it again. */
  wrote(jobKey: string, row: JobRow): void
  /** The holder has let go. */
  letGo(jobKey: string): void
  /** Nothing that was put is certain: a transaction was not committed, or a step of it broke off. */
  forgetAll(): void
}

/** More are held by no process that still answers; what is not remembered is read. */
const MOST_ROWS = 20_000

/** Makes it for the tables of one store. */
export function createHeldRows(tables: Pick<LmdbTables, 'job' | 'isAsWritten'>): HeldRows {
  const rows = new Map<string, JobRow>()
  return {
    find({ jobKey, fence }, nowMs) {
      const own = rows.get(jobKey)
      const row = own !== undefined && tables.isAsWritten(jobKey, own) ? own : tables.job(jobKey)
      return row === undefined || row.forgottenMs <= nowMs || row.fence !== fence ? undefined : row
    },
    wrote(jobKey, row) {
      if (rows.size >= MOST_ROWS) rows.clear()
      rows.set(jobKey, row)
    },
    letGo: jobKey => void rows.delete(jobKey),
    forgetAll: () => rows.clear(),
  }
}
