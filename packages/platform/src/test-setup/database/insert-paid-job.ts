import { randomUUID } from 'node:crypto'
import type { Database } from '@farebox/server/src/postgres/connect'

/** The fields of a paid job that a test can set; the others have arbitrary values. */
export interface PaidJob {
  readonly agentId: number
  /** Unique by default. */
  readonly jobId?: string
  /** A lower-case address; the default is the same for all jobs. */
  readonly payer?: string
  readonly capability?: string
  /** Default 0.01 USDC. */
  readonly amountAtomic?: bigint
  readonly kind?: 'caller' | 'canary'
  /** Default 500. */
  readonly elapsedMs?: number
  /** When it was completed; default 2027-01-01. */
  readonly finishedAtMs?: number
  readonly chargedWithoutDelivery?: boolean
}

/** Inserts a paid and delivered job into `jobs`; resolves to its job_id. */
export async function insertPaidJob(database: Database, job: PaidJob): Promise<string> {
  const jobId = job.jobId ?? randomUUID()
  const finishedAt = new Date(job.finishedAtMs ?? Date.UTC(2027, 0, 1))
  await database.query(
    'test-insert-paid-job',
    `insert into jobs (job_id, agent_id, capability, kind, payer, amount_atomic, state, created_at, expires_at, finished_at,
       elapsed_ms, transaction, answer, payment, charged_without_delivery)
     values ($1, $2, $3, $4, $5, $6, 'completed', $7, $7, $7, $8, '0x' || repeat('1', 64), 'completed', 'paid', $9)`,
    [
      jobId,
      job.agentId,
      job.capability ?? 'count',
      job.kind ?? 'caller',
      job.payer ?? `0x${'c'.repeat(40)}`,
      (job.amountAtomic ?? 10_000n).toString(),
      finishedAt,
      job.elapsedMs ?? 500,
      job.chargedWithoutDelivery ?? false,
    ],
  )
  return jobId
}
