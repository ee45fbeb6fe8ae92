import type { LmdbTables, TableRow } from './lmdb-tables.ts'

/** The rows of the jobs that this process holds, as it wrote them: each is read again only where somebody else wrote. */
export interface HeldRows {
  /** The row as it lies in the tables, forgotten already or not. Called inside a transaction. */
  row(jobKey: string): TableRow | undefined
  /** Remembers what was put, while its holder may write it again. */
  wrote(jobKey: string, row: TableRow): void
  /** The holder has let go. */
  letGo(jobKey: string): void
  /** Nothing that was put is certain: a transaction was not committed, or a step of it broke off. */
  forgetAll(): void
}

/** More are held by no process that still answers; what is not remembered is read. */
const MOST_ROWS = 20_000

/** Makes it for the tables of one store. */
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
