import { formatUsdc } from '@farebox/protocol/money/usdc'
import { Refusal } from '../../http/refusal.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { hostOf, JOB_LEASE_MS } from '../records/job-leases.ts'
import type { JobRow } from '../records/job-row.ts'
import {
  INSERT_JOBS,
  NEW_JOB_IDS,
  NEW_JOB_VALUES,
  NEW_JOBS,
  NEW_JOBS_PARAMETERS,
  newJobRow,
  valuesOfNewJobs,
  type NewJob,
} from '../records/job-store.ts'
import { reopenJobIn } from '../records/reopen-job.ts'
import {
  countedSince,
  countJobs,
  hasRoomForJobs,
  refuseTooMany,
  type JobCounts,
  type OrderBounds,
} from './order-bounds.ts'

/** Limits of orders for one payer and for one address. */
export interface AdmissionBounds extends OrderBounds {
  /** The most bytes of unpaid contents. */
  readonly unpaidBytesOfPayer: number
  readonly unpaidBytesFromAddress: number
  /** The most database connections of a process that are used for orders from one address at a time. */
  readonly connectionsForAddress: number
}

/** The terms under which an order is stored. */
export interface AdmissionTerms {
  /** The key of the caller's address from `callerKey`. */
  readonly from: string
  /** The payer's balance. */
  readonly balanceAtomic: bigint
  readonly bounds: AdmissionBounds
}

/** The result of the SQL function `room_for_orders`. */
type Room = {
  readonly ordered_from: string
  readonly bytes_of_payer: string
  readonly bytes_from_address: string
  readonly promised: string
  readonly writable: readonly string[]
}

/**
 * Checks the limits and stores orders of one payer at one agent, in one statement: all of them, or none when they exceed a
 * limit together. A free sender of this process gets a job at once; otherwise the next poll for due jobs finds it.
 *
 * @returns for each order its job or refusal; `undefined` when a job with this job_id or with this payment exists already
 * @throws {Refusal} `payment`, `rate_limited` or `conflict`; nothing was written in that case
 */
export async function writeOrders(
  { database, clock, due }: PlatformParts,
  jobs: readonly NewJob[],
  { from, balanceAtomic, bounds }: AdmissionTerms,
): Promise<readonly (JobRow | Refusal | undefined)[]> {
  const [first] = jobs
  if (first === undefined) return []
  const isOfRun = first.runId !== undefined
  const senders = jobs.map(({ endpoint }) => due.sending.reserve(hostOf(endpoint)))
  let written: ReadonlySet<string> = new Set()
  let writable: readonly string[] = []
  const nowMs = clock.nowMs()
  try {
    const [name, text] = isOfRun ? ['admit-jobs-of-runs', admitOfRuns(bounds)] : ['admit-jobs', ADMIT]
    const [room] = await database.query<Room & Partial<JobCounts> & { readonly written: readonly string[] }>(
      name,
      text,
      [
        ...valuesOfNewJobs(jobs, nowMs),
        first.payer,
        from,
        jobs.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n),
        jobs.reduce((sum, { requestBody }) => sum + Buffer.byteLength(requestBody), 0),
        jobs.length,
        balanceAtomic,
        bounds.unpaidBytesOfPayer,
        bounds.unpaidBytesFromAddress,
        new Date(nowMs + JOB_LEASE_MS),
        senders.map(sender => (sender === undefined ? null : due.holder)),
        ...(isOfRun ? [first.agentId, ...countedSince(nowMs)] : []),
      ],
    )
    if (room === undefined) throw new Error('the database did not say whether there is room')
    written = new Set(room.written)
    writable = room.writable
    if (written.size === 0) {
      if (isCounted(room)) refuseTooMany(room, bounds, nowMs, jobs.length)
      refuseWithoutRoom(jobs, room, { balanceAtomic, bounds })
    }
  } finally {
    if (jobs.some(({ jobId }, index) => written.has(jobId) && senders[index] === undefined)) due.jobs.notify()
    // Passes the row to the sender, so that the sender does not read it from the database.
    for (const [index, job] of jobs.entries())
      if (written.has(job.jobId)) senders[index]?.begin(newJobRow(job, nowMs))
      else senders[index]?.release()
  }
  return jobs.map(job => {
    if (written.has(job.jobId)) return newJobRow(job, nowMs)
    return writable.includes(job.jobId) ? undefined : new Refusal('conflict', GIVEN_UP)
  })
}

function isCounted(row: Partial<JobCounts>): row is JobCounts {
  return row.open_of_payer !== undefined
}

/** The parameters of these statements follow those of the jobs. */
const parameter = (nth: number): string => `$${NEW_JOBS_PARAMETERS + nth}`
const PAYER = parameter(1)
const FROM = parameter(2)
const [AMOUNT, BYTES, COUNT] = [3, 4, 5].map(parameter)
const [BALANCE, BYTES_OF_PAYER, BYTES_FROM_ADDRESS] = [6, 7, 8].map(parameter)
const [LEASE_UNTIL, LEASE_HOLDERS] = [9, 10].map(parameter)
const [AGENT, UNPAID_SINCE, DEADLINES_SINCE] = [11, 12, 13].map(parameter)

const ROOM = `select room.* from (select array_agg(job_id) as jobs, array_agg(run_id) as runs from ${NEW_JOBS}) as given,
  room_for_orders(${PAYER}, ${FROM}, given.jobs, given.runs) as room`
const HAS_ROOM = `promised + ${AMOUNT}::bigint <= ${BALANCE}::numeric
  and bytes_of_payer + ${BYTES}::bigint <= ${BYTES_OF_PAYER}::bigint
  and bytes_from_address + ${BYTES}::bigint <= ${BYTES_FROM_ADDRESS}::bigint`

/** Stores jobs if they are within the limits, and returns the counts. */
const ADMIT = admitWhere(ROOM, `${HAS_ROOM} and ${COUNT}::int > 0`)

/** The same for orders of runs, which also counts the jobs. */
function admitOfRuns(bounds: AdmissionBounds): string {
  const by = {
    payer: PAYER,
    agent: `${AGENT}::bigint`,
    unpaidSince: `${UNPAID_SINCE}::timestamptz`,
    deadlinesSince: `${DEADLINES_SINCE}::timestamptz`,
  }
  return admitWhere(
    `select *, ${countJobs(by)} from (${ROOM}) as room`,
    `${HAS_ROOM} and ${hasRoomForJobs(bounds, `${COUNT}::int`)}`,
  )
}

function admitWhere(room: string, hasRoom: string): string {
  return `
    with room as materialized (${room}),
    written as (
      ${INSERT_JOBS}
      select ${NEW_JOB_VALUES}, room.ordered_from, case when sender.holder is not null then ${LEASE_UNTIL}::timestamptz end,
        sender.holder
      from room, ${NEW_JOBS} join unnest(${NEW_JOB_IDS}, ${LEASE_HOLDERS}::uuid[]) as sender(job_id, holder) using (job_id)
      where job.job_id = any(room.writable) and ${hasRoom}
      on conflict do nothing
      returning job_id)
    select room.*, array(select job_id from written) as written from room`
}

/**
 * Checks the limits and opens a job for its next attempt, in one transaction.
 *
 * @returns `undefined` as `reopenJobIn` does
 * @throws {Refusal} as {@link writeOrders}
 */
export async function writeRetry(
  { database, clock, due }: PlatformParts,
  job: NewJob,
  { from, balanceAtomic, bounds, attempt }: AdmissionTerms & { readonly attempt: number },
): Promise<JobRow | undefined> {
  const written = await database.inTransaction(async client => {
    const { rows } = await client.query<Room>(
      'select * from room_for_orders($1, $2, array[$3::uuid], array[$4::uuid])',
      [job.payer, from, job.jobId, job.runId],
    )
    const [room] = rows
    if (room === undefined) throw new Error('the database did not say whether there is room')
    refuseWithoutRoom([job], room, { balanceAtomic, bounds })
    return await reopenJobIn(client, job, {
      nowMs: clock.nowMs(),
      orderedFrom: room.ordered_from,
      attempt,
    })
  })
  due.jobs.notify()
  return written
}

const GIVEN_UP = 'payment: was given up before its order was written down'

/** Throws the refusal that corresponds to the failed condition in {@link ADMIT}. */
function refuseWithoutRoom(
  jobs: readonly NewJob[],
  room: Room,
  { balanceAtomic, bounds }: Pick<AdmissionTerms, 'balanceAtomic' | 'bounds'>,
): void {
  let promised = BigInt(room.promised)
  let bytes = 0
  for (const job of jobs) {
    if (balanceAtomic < promised + job.amountAtomic) throw cannotPay(balanceAtomic, promised, job)
    promised += job.amountAtomic
    bytes += Buffer.byteLength(job.requestBody)
  }
  if (Number(room.bytes_of_payer) + bytes > bounds.unpaidBytesOfPayer)
    throw tooMuch('inputs and outputs of this payer that nobody has paid for', 60)
  if (Number(room.bytes_from_address) + bytes > bounds.unpaidBytesFromAddress)
    throw tooMuch('inputs and outputs of orders from this address that nobody has paid for', 60)
  if (!jobs.some(({ jobId }) => room.writable.includes(jobId))) throw new Refusal('conflict', GIVEN_UP)
}

/** The refusal for a payer whose balance is too low, of which `promised` is reserved for other jobs. */
export function cannotPay(balanceAtomic: bigint, promised: bigint, { payer, amountAtomic }: NewJob): Refusal {
  const open = promised === 0n ? '' : `, of which ${formatUsdc(promised)} are for jobs without an outcome`
  return new Refusal(
    'payment',
    `payment: ${payer} has ${formatUsdc(balanceAtomic)} USDC${open}, the job costs ${formatUsdc(amountAtomic)}`,
  )
}

/** The refusal for too many unpaid bytes. */
export function tooMuch(what: string, retryAfterSeconds: number): Refusal {
  return new Refusal('rate_limited', `input: there are too many bytes of ${what}: wait for some of them`, {
    retryAfterSeconds,
  })
}
