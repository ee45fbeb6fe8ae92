import { isObject } from '@farebox/protocol/internal/guards/json'
import { parseAnswerJson } from '@farebox/client/internal/exchange/parse-json'
import type { Database } from '@farebox/server/internal/postgres/connect'
import type { JobState } from '../../jobs/records/states.ts'

/** The part of a payment's job that is shown. */
export interface ShownJob {
  /** The input that was sent; undefined when none was sent or it is too long. */
  readonly input: { readonly [field: string]: unknown } | undefined
  readonly job:
    | {
        readonly state: JobState
        readonly attempt: number
        readonly elapsedMs: number | undefined
        readonly transaction: string | undefined
        readonly blockNumber: number | undefined
        readonly chargedWithoutDelivery: boolean
        readonly outputProblem: string | undefined
      }
    | undefined
}

interface Columns {
  readonly job_id: string
  readonly input: string | null
  readonly state: JobState | null
  readonly attempt: number | null
  readonly elapsed_ms: number | null
  readonly transaction: string | null
  readonly block_number: string | null
  readonly charged_without_delivery: boolean | null
  readonly output_problem: string | null
}

/** An input longer than this is not returned. */
const MAX_SHOWN_CHARACTERS = 200_000

/** Reads the jobs of a run by their ids. */
export async function readJobsOfRun(
  database: Database,
  runId: string,
): Promise<ReadonlyMap<string, ShownJob>> {
  const rows = await database.query<Columns>(
    'read-jobs-of-run',
    `select p.job_id, case when length(p.input) <= ${MAX_SHOWN_CHARACTERS} then p.input end as input, j.state, j.attempt,
       j.elapsed_ms, j.transaction, j.block_number, j.charged_without_delivery, j.output_problem
     from run_payments p left join jobs j on j.job_id = p.job_id and j.run_id = p.run_id
     where p.run_id = $1`,
    [runId],
  )
  return new Map(rows.map(row => [row.job_id, toShownJob(row)]))
}

function toShownJob({ input: text, state, attempt, ...row }: Columns): ShownJob {
  const input = text === null ? undefined : parseAnswerJson(text)
  return {
    input: isObject(input) ? input : undefined,
    job:
      state === null
        ? undefined
        : {
            state,
            attempt: attempt ?? 1,
            elapsedMs: row.elapsed_ms ?? undefined,
            transaction: row.transaction ?? undefined,
            blockNumber: row.block_number === null ? undefined : Number(row.block_number),
            chargedWithoutDelivery: row.charged_without_delivery === true,
            outputProblem: row.output_problem ?? undefined,
          },
  }
}
