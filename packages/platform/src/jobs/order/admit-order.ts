import { formatUsdc } from '@farebox/protocol/money/usdc'
import { createRateLimit } from '@farebox/server/internal/rate-limit'
import { Refusal } from '../../http/refusal.ts'
import { createSlots } from '../../outbound/slots.ts'
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
  CALLER_ORDER_BOUNDS,
  checkOrderBounds,
  countedSince,
  countJobs,
  hasRoomForJob,
  refuseTooMany,
  type JobCounts,
  type OrderBounds,
} from './order-bounds.ts'
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
  /** Connections of a process that orders from one address have at a time, waiting for one another. */
  readonly connectionsForAddress: number
}

/** Payers without money that one address may have looked up in a minute. */
const EMPTY_PAYERS_PER_MINUTE = 60

/** Contents that nobody has paid for: twice the largest order, and from one address twice that. */
const CALLER_BOUNDS: AdmissionBounds = {
  ...CALLER_ORDER_BOUNDS,
  unpaidBytesOfPayer: 4 * 1_048_576,
  unpaidBytesFromAddress: 8 * 1_048_576,
  connectionsForAddress: 1,
}

/** Makes the admission of one process; what it counts by payer and address is in the database, for all of them. */
export function createAdmission(parts: PlatformParts, bounds: AdmissionBounds = CALLER_BOUNDS): AdmitOrder {
  const { clock } = parts
  const limit = createRateLimit(clock)
  const turns = createSlots(bounds.connectionsForAddress)
  const waiting = new Map<string, number>()

  const write = async (
    job: NewJob,
    { from, retryOf, balanceAtomic }: { from: string; retryOf: number | undefined; balanceAtomic: bigint },
  ): Promise<JobRow | undefined> => {
    // However many orders of an address wait, others have connections left.
    const leave = await turns.take(from, new AbortController().signal)
    try {
      const terms = { from, balanceAtomic, bounds }
      return retryOf === undefined
        ? await writeNew(parts, job, terms)
        : await writeRetry(parts, job, { ...terms, attempt: retryOf })
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
      // Of a run's order all of it is counted when it is written: its payer has signed for each.
      if (retryOf !== undefined || job.runId === undefined) {
        const { isPaymentKnown } = await checkOrderBounds(parts, job, bounds)
        // It is in use for another job here, which says more than that it was used.
        if (retryOf === undefined && isPaymentKnown) return undefined
      }
      const balanceAtomic = await seeBalance(
        parts,
        job,
        { take: () => limit(from, EMPTY_PAYERS_PER_MINUTE), giveBack: () => limit.giveBack(from) },
        retryOf !== undefined,
      )
      return await write(job, { from, retryOf, balanceAtomic })
    } finally {
      const left = (waiting.get(from) ?? 0) - bytes
      if (left <= 0) waiting.delete(from)
      else waiting.set(from, left)
    }
  }
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

/** How much there may be of what a {@link Room} counts. */
interface AdmissionTerms {
  readonly from: string
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
 * Looks for room and writes the order down in one statement. Where a sender of this process is free the job is its at once;
 * otherwise it is found by whoever looks for jobs.
 */
async function writeNew(
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
    if (row === undefined) throw new Error('nobody said whether there is room')
    // Its bytes are at hand: whoever sends it at once need not read them.
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

const PARAMETERS = [1, 2, 3, 4, 5, 6, 7, 8].map(after => `$${NEW_JOB_PARAMETERS + after}`)
const [FROM, BALANCE, BYTES_OF_PAYER, BYTES_FROM_ADDRESS, LEASE_UNTIL, LEASE_HOLDER] = PARAMETERS
const [UNPAID_SINCE = '', DEADLINES_SINCE = ''] = PARAMETERS.slice(6)

const ROOM = `select * from room_for_order($5, ${FROM}, $1::uuid, $22::uuid)`
const HAS_ROOM = `may_be_written and promised + $6::bigint <= ${BALANCE}::numeric
  and bytes_of_payer + octet_length($13::bytea) <= ${BYTES_OF_PAYER}::bigint
  and bytes_from_address + octet_length($13::bytea) <= ${BYTES_FROM_ADDRESS}::bigint`

/** Writes a job down where there is room, and says how much there was. */
const ADMIT = admitWhere(ROOM, HAS_ROOM)

/** The same for the order of a run, of which the jobs are counted too. */
function admitOfRun(bounds: AdmissionBounds): string {
  const by = {
    payer: '$5',
    agent: '$2',
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

/** What is read again and again is read within the transaction that opens the job once more. */
async function writeRetry(
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
    if (room === undefined) throw new Error('nobody said whether there is room')
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
