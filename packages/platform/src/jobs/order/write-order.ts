import { formatUsdc } from '@farebox/protocol/money/usdc'
import { Refusal } from '../../http/refusal.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { hostOf, LEASE_MS } from '../records/job-leases.ts'
import { JOB_COLUMNS, toJobRow, type JobColumns, type JobRow } from '../records/job-row.ts'
import {
  INSERT_JOB,
  JOB_VALUES,
  NEW_JOB_PARAMETERS,
  valuesOfNewJob,
  type NewJob,
} from '../records/job-store.ts'
import { reopenJobIn } from '../records/reopen-job.ts'
import {
  countedSince,
  countJobs,
  hasRoomForJob,
  refuseTooMany,
  type JobCounts,
  type OrderBounds,
} from './order-bounds.ts'

/** How much of one payer, and from one address, there may be at a time. */
export interface AdmissionBounds extends OrderBounds {
  /** Contents that nobody has paid for. */
  readonly unpaidBytesOfPayer: number
  readonly unpaidBytesFromAddress: number
  /** Connections of a process that orders from one address have at a time, waiting for one another. */
  readonly connectionsForAddress: number
}

/** What an order is written down with. */
export interface AdmissionTerms {
  /** Where it came from, as `callerKey` has it. */
  readonly from: string
  /** What the payer has. */
  readonly balanceAtomic: bigint
  readonly bounds: AdmissionBounds
}

/** As `room_for_order` gives it. */
type Room = {
  readonly ordered_from: string
  readonly bytes_of_payer: string
  readonly bytes_from_address: string
  readonly promised: string
  readonly may_be_written: boolean
}

/**
 * Looks for room and writes an order down, in one statement. A free sender of this process gets the job at once; otherwise
 * the next look at the jobs that are due finds it.
 *
 * @returns undefined where there is one of this job_id, or one that this payment pays for, already
 * @throws {Refusal} `payment`, `rate_limited` or `conflict`; nothing was written then
 */
export async function writeOrder(
  { database, clock, due }: PlatformParts,
  job: NewJob,
  { from, balanceAtomic, bounds }: AdmissionTerms,
): Promise<JobRow | undefined> {
  const isOfRun = job.runId !== undefined
  const sender = due.sending.reserve(hostOf(job.endpoint))
  let written: JobRow | undefined
  try {
    const nowMs = clock.nowMs()
    const [name, text] = isOfRun ? ['admit-job-of-run', admitOfRun(bounds)] : ['admit-job', ADMIT]
    const [row] = await database.query<Room & Partial<JobCounts> & Nullable<JobColumns>>(name, text, [
      ...valuesOfNewJob(job, nowMs),
      from,
      balanceAtomic,
      bounds.unpaidBytesOfPayer,
      bounds.unpaidBytesFromAddress,
      sender === undefined ? null : new Date(nowMs + LEASE_MS),
      sender?.holder ?? null,
      ...(isOfRun ? countedSince(nowMs) : []),
    ])
    if (row === undefined) throw new Error('the database did not say whether there is room')
    // The sender need not read what is at hand.
    if (isWritten(row)) written = { ...toJobRow(row), requestBody: job.requestBody }
    else {
      if (isCounted(row)) refuseTooMany(row, bounds, nowMs)
      refuseWithoutRoom(job, row, { balanceAtomic, bounds })
    }
  } finally {
    if (written === undefined) sender?.release()
    else if (sender === undefined) due.jobs.notify()
    else sender.begin(written)
  }
  return written
}

type Nullable<Columns> = { readonly [name in keyof Columns]: Columns[name] | null }

function isWritten(row: Room & Nullable<JobColumns>): row is Room & JobColumns {
  return row.job_id !== null
}

function isCounted(row: Partial<JobCounts>): row is JobCounts {
  return row.open_of_payer !== undefined
}

/** Of the parameters that `valuesOfNewJob` gives. */
const { JOB_ID, AGENT, PAYER, AMOUNT, BODY, RUN } = NEW_JOB_PARAMETERS
/** Those of this statement come after them. */
const parameter = (nth: number): string => `$${NEW_JOB_PARAMETERS.COUNT + nth}`
const [FROM, BALANCE, BYTES_OF_PAYER, BYTES_FROM_ADDRESS] = [1, 2, 3, 4].map(parameter)
const [LEASE_UNTIL, LEASE_HOLDER] = [5, 6].map(parameter)
const [UNPAID_SINCE, DEADLINES_SINCE] = [parameter(7), parameter(8)]

const ROOM = `select * from room_for_order(${PAYER}, ${FROM}, ${JOB_ID}::uuid, ${RUN}::uuid)`
const HAS_ROOM = `may_be_written and promised + ${AMOUNT}::bigint <= ${BALANCE}::numeric
  and bytes_of_payer + octet_length(${BODY}::bytea) <= ${BYTES_OF_PAYER}::bigint
  and bytes_from_address + octet_length(${BODY}::bytea) <= ${BYTES_FROM_ADDRESS}::bigint`

/** Writes a job down where there is room, and says how much there was. */
const ADMIT = admitWhere(ROOM, HAS_ROOM)

/** The same for the order of a run, of which the jobs are counted too. */
function admitOfRun(bounds: AdmissionBounds): string {
  const by = {
    payer: PAYER,
    agent: AGENT,
    unpaidSince: `${UNPAID_SINCE}::timestamptz`,
    deadlinesSince: `${DEADLINES_SINCE}::timestamptz`,
  }
  return admitWhere(
    `select *, ${countJobs(by)} from (${ROOM}) as room`,
    `${HAS_ROOM} and ${hasRoomForJob(bounds)}`,
  )
}

function admitWhere(room: string, hasRoom: string): string {
  return `
    with room as materialized (${room}),
    written as (
      ${INSERT_JOB}
      select ${JOB_VALUES}, room.ordered_from, ${LEASE_UNTIL}::timestamptz, ${LEASE_HOLDER}::uuid
      from room where ${hasRoom}
      on conflict do nothing
      returning ${JOB_COLUMNS})
    select room.*, written.* from room left join written on true`
}

/**
 * Looks for room and opens a job for its next attempt, in one transaction.
 *
 * @returns undefined as of `reopenJobIn`
 * @throws {Refusal} as {@link writeOrder}
 */
export async function writeRetry(
  { database, clock, due }: PlatformParts,
  job: NewJob,
  { from, balanceAtomic, bounds, attempt }: AdmissionTerms & { readonly attempt: number },
): Promise<JobRow | undefined> {
  const written = await database.inTransaction(async client => {
    const { rows } = await client.query<Room>('select * from room_for_order($1, $2, $3, $4)', [
      job.payer,
      from,
      job.jobId,
      job.runId,
    ])
    const [room] = rows
    if (room === undefined) throw new Error('the database did not say whether there is room')
    refuseWithoutRoom(job, room, { balanceAtomic, bounds })
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

/** The words for what the statement {@link ADMIT} has in `where`. */
function refuseWithoutRoom(
  job: NewJob,
  room: Room,
  { balanceAtomic, bounds }: Pick<AdmissionTerms, 'balanceAtomic' | 'bounds'>,
): void {
  const promised = BigInt(room.promised)
  if (balanceAtomic < promised + job.amountAtomic) throw cannotPay(balanceAtomic, promised, job)
  const bytes = Buffer.byteLength(job.requestBody)
  if (Number(room.bytes_of_payer) + bytes > bounds.unpaidBytesOfPayer)
    throw tooMuch('inputs and outputs of this payer that nobody has paid for', 60)
  if (Number(room.bytes_from_address) + bytes > bounds.unpaidBytesFromAddress)
    throw tooMuch('inputs and outputs of orders from this address that nobody has paid for', 60)
  if (!room.may_be_written) throw new Refusal('conflict', GIVEN_UP)
}

/** A payer who has too little, `promised` of it to others. */
export function cannotPay(balanceAtomic: bigint, promised: bigint, { payer, amountAtomic }: NewJob): Refusal {
  const open = promised === 0n ? '' : `, of which ${formatUsdc(promised)} are for jobs without an outcome`
  return new Refusal(
    'payment',
    `payment: ${payer} has ${formatUsdc(balanceAtomic)} USDC${open}, the job costs ${formatUsdc(amountAtomic)}`,
  )
}

/** More bytes than one may have wait for being paid. */
export function tooMuch(what: string, retryAfterSeconds: number): Refusal {
  return new Refusal('rate_limited', `input: there are too many bytes of ${what}: wait for some of them`, {
    retryAfterSeconds,
  })
}
