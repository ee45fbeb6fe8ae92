import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { Database } from '@farebox/server/internal/postgres/connect'
import type pg from 'pg'
import { createRateLimit } from '@farebox/server/internal/rate-limit'
import { Refusal } from '../../http/refusal.ts'
import { createSlots } from '../../outbound/slots.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import type { JobRow } from '../records/job-row.ts'
import { insertJobIn, type NewJob } from '../records/job-store.ts'
import { reopenJobIn } from '../records/reopen-job.ts'
import { CALLER_ORDER_BOUNDS, checkOrderBounds, type OrderBounds } from './order-bounds.ts'
import { readPayerState } from '../quote/read-payer-state.ts'

/**
 * Writes a caller's job down, due at once, where its payer can pay and there is room for it; undefined as of `insertJob`.
 * `from`: where the order came from, as `callerKey` has it. `retryOf`: the attempt that is retried; undefined then as of
 * `reopenJobIn`.
 *
 * @throws {Refusal} `payment`, `rate_limited`, or `unavailable` where the chain does not say what the payer has; nothing
 *   was written then
 */
export type AdmitOrder = (job: NewJob, from: string, retryOf?: number) => Promise<JobRow | undefined>

/** How much of one payer, and from one address, there may be at a time. */
export interface AdmissionBounds extends OrderBounds {
  /** Contents that nobody has paid for. */
  readonly unpaidBytesOfPayer: number
  readonly unpaidBytesFromAddress: number
}

/** Of a run's order: whether it may still be written down, asked in the transaction that does. */
export type MayBeWritten = (client: pg.PoolClient, job: NewJob) => Promise<boolean>

/** Payers without money that one address may have looked up in a minute. */
const EMPTY_PAYERS_PER_MINUTE = 60

/** Contents that nobody has paid for: twice the largest order, and from one address twice that. */
const CALLER_BOUNDS: AdmissionBounds = {
  ...CALLER_ORDER_BOUNDS,
  unpaidBytesOfPayer: 4 * 1_048_576,
  unpaidBytesFromAddress: 8 * 1_048_576,
}

/** Makes the admission of one process; what it counts by payer and address is in the database, for all of them. */
export function createAdmission(
  parts: PlatformParts,
  bounds: AdmissionBounds = CALLER_BOUNDS,
  mayBeWritten: MayBeWritten = () => Promise.resolve(true),
): AdmitOrder {
  const { database, clock } = parts
  const limit = createRateLimit(clock)
  const turns = createSlots(1)
  const waiting = new Map<string, number>()

  const write = async (
    job: NewJob,
    { from, retryOf, balanceAtomic }: { from: string; retryOf: number | undefined; balanceAtomic: bigint },
  ): Promise<JobRow | undefined> => {
    // One connection for an address, however many orders of it wait.
    const leave = await turns.take(from, new AbortController().signal)
    try {
      return await database.inTransaction(async client => {
        const orderedFrom = await lockOrders(client, job.payer, from)
        await checkRoom(client, job, { orderedFrom, balanceAtomic, bounds })
        if (!(await mayBeWritten(client, job))) throw new Refusal('conflict', GIVEN_UP)
        const written = { nowMs: clock.nowMs(), orderedFrom }
        return retryOf === undefined
          ? await insertJobIn(client, job, written)
          : await reopenJobIn(client, job, { ...written, attempt: retryOf })
      })
    } finally {
      leave()
    }
  }

  return async (job, from, retryOf) => {
    const bytes = Buffer.byteLength(job.requestBody)
    const held = (waiting.get(from) ?? 0) + bytes
    // So much of one address waits in memory to be written.
    if (held > bounds.unpaidBytesFromAddress)
      throw tooMuch('orders from this address that are not written down yet', 1)
    waiting.set(from, held)
    try {
      await checkOrderBounds(parts, job.payer, job.agentId, bounds)
      // It is in use for another job here, which says more than that it was used.
      if (retryOf === undefined && (await isKnown(parts.database, job))) return undefined
      const balanceAtomic = await seeBalance(
        parts,
        job,
        { take: () => limit(from, EMPTY_PAYERS_PER_MINUTE), giveBack: () => limit.giveBack(from) },
        retryOf !== undefined,
      )
      const written = await write(job, { from, retryOf, balanceAtomic })
      parts.due.jobs.notify()
      return written
    } finally {
      const left = (waiting.get(from) ?? 0) - bytes
      if (left <= 0) waiting.delete(from)
      else waiting.set(from, left)
    }
  }
}

async function isKnown(database: Database, { payer, authorization, network }: NewJob): Promise<boolean> {
  const rows = await database.query(
    'find-payment',
    'select 1 as one from jobs where payer = $1 and nonce = $2 and network = $3',
    [payer, authorization.nonce, network],
  )
  return rows.length > 0
}

/** What the payer has. A look that finds enough is not counted; those that find nothing are, by address. */
async function seeBalance(
  parts: PlatformParts,
  job: NewJob,
  { take, giveBack }: { readonly take: () => number | undefined; readonly giveBack: () => void },
  isRetry: boolean,
): Promise<bigint> {
  const seconds = take()
  if (seconds !== undefined)
    throw new Refusal(
      'rate_limited',
      'payment: too many orders of payers who cannot pay came from this address',
      {
        retryAfterSeconds: seconds,
      },
    )
  const payer = await readPayerState(parts, job.authorization)
  if (payer === undefined) {
    giveBack()
    throw new Refusal(
      'unavailable',
      'payment: the chain does not say now what the payer has; nothing was sent',
    )
  }
  // Of a job that was sent before nobody is told to sign anew: it may just have been charged for.
  if (payer.isUsed && isRetry)
    throw new Refusal('conflict', 'payment: was used or cancelled: ask for the job, it may have been charged')
  if (payer.isUsed) throw new Refusal('payment', 'payment: was used or cancelled, sign a new one')
  if (payer.balanceAtomic < job.amountAtomic) throw cannotPay(payer.balanceAtomic, 0n, job)
  giveBack()
  return payer.balanceAtomic
}

/** Whoever orders for the same payer or from the same address waits, so that what is counted is still so when it is written. */
async function lockOrders(client: pg.PoolClient, payer: string, from: string): Promise<string> {
  const { rows } = await client.query<{ ordered_from: string }>(
    `select encode(sha256(convert_to(salt || ' ' || $1, 'UTF8')), 'hex') as ordered_from from report_salt`,
    [from],
  )
  const orderedFrom = rows[0]?.ordered_from ?? ''
  for (const key of [`payer ${payer}`, `from ${orderedFrom}`])
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 34))', [key])
  return orderedFrom
}

const GIVEN_UP = 'payment: was given up before its order was written down'

async function checkRoom(
  client: pg.PoolClient,
  job: NewJob,
  {
    orderedFrom,
    balanceAtomic,
    bounds,
  }: { readonly orderedFrom: string; readonly balanceAtomic: bigint; readonly bounds: AdmissionBounds },
): Promise<void> {
  const { rows } = await client.query<{ of_payer: string; from_address: string; promised: string }>(
    `select
       (select coalesce(sum(${CONTENTS}), 0) from jobs
        where payer = $1 and ordered_from is not null and job_id <> $3) as of_payer,
       (select coalesce(sum(${CONTENTS}), 0) from jobs where ordered_from = $2 and job_id <> $3) as from_address,
       (select coalesce(sum(amount_atomic), 0) from jobs where payer = $1 and state in ('sent', 'pending')) as promised`,
    [job.payer, orderedFrom, job.jobId],
  )
  const [room] = rows
  const promised = BigInt(room?.promised ?? 0)
  if (balanceAtomic < promised + job.amountAtomic) throw cannotPay(balanceAtomic, promised, job)
  const bytes = Buffer.byteLength(job.requestBody)
  if (Number(room?.of_payer) + bytes > bounds.unpaidBytesOfPayer)
    throw tooMuch('inputs and outputs of this payer that nobody has paid for', 60)
  if (Number(room?.from_address) + bytes > bounds.unpaidBytesFromAddress)
    throw tooMuch('inputs and outputs of orders from this address that nobody has paid for', 60)
}

/** Known without reading them. */
const CONTENTS = 'coalesce(octet_length(request_body), 0) + coalesce(octet_length(response_body), 0)'

function cannotPay(balanceAtomic: bigint, promised: bigint, { payer, amountAtomic }: NewJob): Refusal {
  const open = promised === 0n ? '' : `, of which ${formatUsdc(promised)} are for jobs without an outcome`
  return new Refusal(
    'payment',
    `payment: ${payer} has ${formatUsdc(balanceAtomic)} USDC${open}, the job costs ${formatUsdc(amountAtomic)}`,
  )
}

function tooMuch(what: string, retryAfterSeconds: number): Refusal {
  return new Refusal('rate_limited', `input: there are too many bytes of ${what}: wait for some of them`, {
    retryAfterSeconds,
  })
}
