import type { Database } from '@farebox/server/internal/postgres/connect'
import { Refusal } from '../../http/refusal.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import type { NewJob } from '../records/job-store.ts'

/** Limits of jobs per payer. They are needed because a payer can sign payments without having the money. */
export interface OrderBounds {
  /** The most jobs without an outcome at a time. */
  readonly openOfPayer: number
  /**
   * The most unpaid jobs in the last hour, independent of their outcome, because free outcomes must not allow sending more.
   */
  readonly unpaidOfPayer: number
}

/** The limits of jobs that a payer orders one by one. */
export const CALLER_ORDER_BOUNDS: OrderBounds = { openOfPayer: 50, unpaidOfPayer: 200 }

const MAX_OPEN_OF_AGENT = 500
const UNPAID_COUNTED_MS = 3_600_000

/**
 * After this many jobs of a payer at an agent ended by the payer's own short deadlines within this time, the payer is
 * refused at that agent until the time has passed.
 */
const MAX_OWN_DEADLINES = 5
const OWN_DEADLINES_MS = 600_000

/**
 * Checks whether the payer may order one more job of this agent. The counts are in the database and shared by all
 * processes.
 *
 * @returns whether the order's payment is already used for a job
 * @throws {Refusal} `rate_limited`, naming the limit and when to retry
 */
export async function checkOrderBounds(
  { database, clock }: Pick<PlatformParts, 'database' | 'clock'>,
  order: Pick<NewJob, 'payer' | 'agentId' | 'network' | 'authorization'>,
  { openOfPayer, unpaidOfPayer }: OrderBounds,
): Promise<{ readonly isPaymentKnown: boolean }> {
  const nowMs = clock.nowMs()
  const counts = await readCounts(database, order, nowMs)
  refuseTooMany(counts, { openOfPayer, unpaidOfPayer }, nowMs)
  return { isPaymentKnown: counts.is_payment_known }
}

/**
 * Checks the counts of {@link countJobs} against the limits for this many more jobs.
 *
 * @throws {Refusal} as {@link checkOrderBounds}
 */
export function refuseTooMany(
  counts: Omit<JobCounts, 'is_payment_known'>,
  { openOfPayer, unpaidOfPayer }: OrderBounds,
  nowMs: number,
  jobs = 1,
): void {
  if (counts.open_of_payer + jobs > openOfPayer)
    throw tooMany('this payer has too many jobs without an outcome: wait for some of them', 5)
  if (counts.open_of_agent + jobs > MAX_OPEN_OF_AGENT)
    throw tooMany('the agent has too many jobs without an outcome: wait for some of them', 5)
  if (counts.unpaid + jobs > unpaidOfPayer)
    throw tooMany(
      `this payer ordered ${unpaidOfPayer} jobs in the last hour whose payments were not used and still could ` +
        'be: wait until some of them are, or have run out',
      60,
    )
  if (counts.own_deadline_at !== null) {
    const pausedUntilMs = counts.own_deadline_at.getTime() + OWN_DEADLINES_MS
    throw tooMany(
      `deadline: ${MAX_OWN_DEADLINES} jobs of this payer at this agent ended within ten minutes by deadlines shorter ` +
        'than the agent may take (max_deadline_seconds): leave it more time, later',
      Math.max(1, Math.ceil((pausedUntilMs - nowMs) / 1_000)),
    )
  }
}

function tooMany(sentence: string, retryAfterSeconds: number): Refusal {
  return new Refusal('rate_limited', sentence, { retryAfterSeconds })
}

/** The result of {@link countJobs}. */
// A type alias, because an interface cannot be the type of a query row.
export type JobCounts = {
  readonly open_of_payer: number
  readonly open_of_agent: number
  readonly unpaid: number
  /**
   * The time of the oldest job that counts towards the deadline limit; null below the limit. Counted for each agent, so
   * that one owner cannot get a payer refused by other agents.
   */
  readonly own_deadline_at: Date | null
  readonly is_payment_known: boolean
}

async function readCounts(
  database: Database,
  { payer, agentId, network, authorization }: Pick<NewJob, 'payer' | 'agentId' | 'network' | 'authorization'>,
  nowMs: number,
): Promise<JobCounts> {
  const [counts] = await database.query<JobCounts>('count-jobs-of-payer', COUNTS, [
    payer,
    agentId,
    ...countedSince(nowMs),
    authorization.nonce,
    network,
  ])
  if (counts === undefined) throw new Error('nothing was counted')
  return counts
}

/** The start times of two counts: of unpaid jobs, and of jobs that ended by a deadline that their payer chose. */
export function countedSince(nowMs: number): readonly [Date, Date] {
  return [new Date(nowMs - UNPAID_COUNTED_MS), new Date(nowMs - OWN_DEADLINES_MS)]
}

/** SQL that counts jobs. The arguments are the statement's parameters, as they are written in SQL. */
export function countJobs(by: {
  readonly payer: string
  readonly agent: string
  readonly unpaidSince: string
  readonly deadlinesSince: string
}): string {
  const { payer, agent, unpaidSince, deadlinesSince } = by
  return `
    (select count(*)::int from jobs where payer = ${payer} and state in ('sent', 'pending')) as open_of_payer,
    (select count(*)::int from jobs where agent_id = ${agent} and state in ('sent', 'pending')) as open_of_agent,
    (select count(*)::int from jobs
     where payer = ${payer} and created_at > ${unpaidSince} and payment = 'open') as unpaid,
    (select created_at from jobs
     where payer = ${payer} and agent_id = ${agent} and fault = 'deadline' and created_at > ${deadlinesSince}
     order by created_at desc offset ${MAX_OWN_DEADLINES - 1} limit 1) as own_deadline_at`
}

const COUNTS = `
  select ${countJobs({ payer: '$1', agent: '$2', unpaidSince: '$3', deadlinesSince: '$4' })},
    exists (select from jobs where payer = $1 and nonce = $5 and network = $6) as is_payment_known`

/** SQL condition over the columns of {@link countJobs} under which {@link refuseTooMany} does not refuse that many jobs. */
export function hasRoomForJobs({ openOfPayer, unpaidOfPayer }: OrderBounds, jobs: string): string {
  return `open_of_payer + ${jobs} <= ${openOfPayer} and open_of_agent + ${jobs} <= ${MAX_OPEN_OF_AGENT}
    and unpaid + ${jobs} <= ${unpaidOfPayer} and own_deadline_at is null`
}
