import { findKeyId, hashJobId, signReceipt, type Receipt } from '@farebox/platform-api/receipt'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { PlatformParts } from '../platform-parts.ts'
import { isRevoked, readSigningKey } from './platform-keys.ts'

/** The fields of a job that its receipt is made from. */
export interface ReceiptedJob {
  readonly jobId: string
  readonly agentId: number
  readonly endpoint: string
  readonly capability: string
  readonly inputHash: string
  readonly outputHash: string | undefined
  readonly amountAtomic: bigint
  readonly asset: string
  readonly network: string
  readonly payer: string
  readonly payTo: string
  readonly transaction: string | undefined
  /** The last answer of the agent. */
  readonly answer: string
  /** The state of the payment. */
  readonly payment: string
  /** Unix seconds, as reported by the agent; undefined when the agent reported none. */
  readonly completedAt: number | undefined
  readonly finishedAtMs: number | undefined
  /** The receipt if one was signed before. */
  readonly receipt: string | undefined
}

/**
 * Returns the signed receipt of a job. It is signed once and then always the same, unless its key was revoked; then it
 * is signed again. Undefined when the job was not delivered or its transfer is not proven.
 */
export async function issueReceipt(
  { database, clock, settings }: Pick<PlatformParts, 'database' | 'clock' | 'settings'>,
  job: ReceiptedJob,
): Promise<string | undefined> {
  if (job.receipt !== undefined && !(await isRevoked(database, findKeyId(job.receipt) ?? '')))
    return job.receipt
  const nowMs = clock.nowMs()
  const statement = await stateJob(job, settings.publicUrl, nowMs)
  if (statement === undefined) return undefined
  const signed = await signReceipt(statement, await readSigningKey(database, nowMs))
  // When two requests sign at the same moment, both return the receipt that was stored first.
  const [row] = await database.query<{ receipt: string }>(
    'keep-receipt',
    `update jobs set receipt = case when receipt is not distinct from $3 then $2 else receipt end
     where job_id = $1 returning receipt`,
    [job.jobId, signed, job.receipt ?? null],
  )
  return row?.receipt
}

async function stateJob(job: ReceiptedJob, publicUrl: string, nowMs: number): Promise<Receipt | undefined> {
  const { payment, answer, transaction, outputHash } = job
  if (payment !== 'paid' || answer !== 'completed') return undefined
  if (transaction === undefined || outputHash === undefined) return undefined
  return {
    v: 1,
    iss: publicUrl,
    job: await hashJobId(job.jobId),
    agent_id: job.agentId,
    endpoint: job.endpoint,
    capability: job.capability,
    input: job.inputHash,
    output: outputHash,
    amount: formatUsdc(job.amountAtomic),
    amount_atomic: job.amountAtomic.toString(),
    asset: job.asset,
    network: job.network,
    payer: job.payer,
    pay_to: job.payTo,
    transaction,
    completed_at: job.completedAt ?? Math.floor((job.finishedAtMs ?? nowMs) / 1_000),
    iat: Math.floor(nowMs / 1_000),
  }
}
