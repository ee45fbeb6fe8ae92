import type { LmdbTables, TableRow } from './lmdb-tables.ts'

/**
 * A cache of the rows of jobs that this process holds, as it wrote them: a row is read again only when another process
 * has written it.
 */
export interface HeldRows {
  /** The row in the tables, whether it has expired or not. Call it inside a transaction. */
  row(jobKey: string): TableRow | undefined
  /** Stores a written row, for further writes by its holder. */
  wrote(jobKey: string, row: TableRow): void
  /** Drops the row, because the holder released the job. */
  letGo(jobKey: string): void
  /** Drops all rows, because a transaction was not committed or a step of it threw. */
  forgetAll(): void
}

/** More jobs than a working process can hold; rows that are not cached are read. */
const MOST_ROWS = 20_000

/** Makes the cache for the tables of one store. */
export function createHeldRows(tables: Pick<LmdbTables, 'job' | 'isAsWritten'>): HeldRows {
  const rows = new Map<string, TableRow>()
  return {
    row(jobKey) {
      const own = rows.get(jobKey)
      return own !== undefined && tables.isAsWritten(jobKey, own) ? own : tables.job(jobKey)
    },
    wrote(jobKey, row) {
      if (rows.size >= MOST_ROWS) rows.clear()
      rows.set(jobKey, row)
    },
    letGo: jobKey => void rows.delete(jobKey),
    forgetAll: () => rows.clear(),
  }
}
