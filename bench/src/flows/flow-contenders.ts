import type pg from 'pg'

/** Somebody who does runs of the flow, on a schema of its own. */
export interface FlowContender {
  readonly name: string
  /** The program of a worker, as it was built. */
  readonly program: string
  readonly environment: { readonly [name: string]: string }
  /** Writes down so many runs that are to be done. Nothing of it is measured. */
  begin(count: number): Promise<void>
  /** The runs since the last {@link begin}. */
  progress(): Promise<Progress>
  close(): Promise<void>
}

/** How far the runs are. */
export interface Progress {
  readonly done: number
  /** Jobs that were done: all runs may be on their way before the first has come to its end. */
  readonly jobs: number
  /** Milliseconds since the epoch at which each was done. */
  readonly doneAtMs: readonly number[]
  /** When the first of them was begun, where that is known. */
  readonly beganAtMs: number | undefined
  /** Those that cannot be done any more. */
  readonly broken: number
}

/** Drops a schema with all that is in it. */
export async function dropSchema(pool: pg.Pool, schema: string): Promise<void> {
  await pool.query(`drop schema if exists ${schema} cascade`)
}
