import { randomBytes, randomUUID } from 'node:crypto'
import type { PlatformParts } from '../../platform-parts.ts'

/** The fields of a job that a test can set; the others have arbitrary values. */
export interface JobInserted {
  readonly agentId: number
  readonly payer?: string
  readonly capability?: string
  readonly state?: 'sent' | 'pending' | 'completed' | 'failed' | 'expired'
  readonly kind?: 'caller' | 'canary'
  readonly amountAtomic?: number
  readonly elapsedMs?: number
  readonly errorType?: string
  readonly error?: string
  /** Default: the clock's time. */
  readonly atMs?: number
}

/** Inserts a job into `jobs` as if it had reached its state; a completed one is paid. No further work is due for it. */
export async function insertJob(
  { database, clock, network }: Pick<PlatformParts, 'database' | 'clock' | 'network'>,
  given: JobInserted,
): Promise<string> {
  const { state = 'completed', atMs = clock.nowMs() } = given
  const jobId = randomUUID()
  const isPaid = state === 'completed'
  const at = new Date(atMs)
  await database.query(
    'test-insert-one-job',
    `insert into jobs (job_id, agent_id, capability, kind, payer, amount_atomic, state, created_at, expires_at,
       finished_at, elapsed_ms, transaction, network, pay_to, nonce, valid_before, payment, error_type, error, answer)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
    [
      jobId,
      given.agentId,
      given.capability ?? 'count',
      given.kind ?? 'caller',
      given.payer ?? `0x${'cd'.repeat(20)}`,
      given.amountAtomic ?? 10_000,
      state,
      at,
      isPaid || state === 'failed' ? at : null,
      given.elapsedMs ?? null,
      isPaid ? `0x${'00'.repeat(32)}` : null,
      network.id,
      `0x${'ef'.repeat(20)}`,
      `0x${randomBytes(32).toString('hex')}`,
      Math.floor(atMs / 1_000) + 60,
      isPaid ? 'paid' : 'open',
      given.errorType ?? null,
      given.error ?? null,
      isPaid || state === 'failed' ? state : 'none',
    ],
  )
  return jobId
}
