import type { Database } from '@farebox/server/internal/postgres/connect'
import { Refusal } from '../../http/refusal.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { countOpenJobs } from '../records/job-store.ts'

/** Anybody can sign for money they do not have: how many jobs of one payer there may be. */
export interface OrderBounds {
  /** Without an outcome, at a time. */
  readonly openOfPayer: number
  /** Not paid in the last hour, whatever came of them: an outcome that costs nothing is no reason to send more. */
  readonly unpaidOfPayer: number
}

/** Of jobs that a payer orders one by one. */
export const CALLER_ORDER_BOUNDS: OrderBounds = { openOfPayer: 50, unpaidOfPayer: 200 }

const MAX_OPEN_OF_AGENT = 500
const UNPAID_COUNTED_MS = 3_600_000

/** A payer whose own short deadlines ran out so often at an agent within so long is refused there until that is past. */
const MAX_OWN_DEADLINES = 5
const OWN_DEADLINES_MS = 600_000

/**
 * May this payer order one more job of this agent? What is counted is in the database, the same for every process.
 *
 * @throws {Refusal} `rate_limited`, saying of what there are too many, and when to come back
 */
export async function checkOrderBounds(
  { database, clock }: Pick<PlatformParts, 'database' | 'clock'>,
  payer: string,
  agentId: number,
  { openOfPayer, unpaidOfPayer }: OrderBounds,
): Promise<void> {
  const { ofPayer, ofAgent } = await countOpenJobs(database, payer, agentId)
  if (ofPayer >= openOfPayer)
    throw tooMany('this payer has too many jobs without an outcome: wait for some of them', 5)
  if (ofAgent >= MAX_OPEN_OF_AGENT)
    throw tooMany('the agent has too many jobs without an outcome: wait for some of them', 5)
  const nowMs = clock.nowMs()
  const unpaid = await countUnpaidJobs(database, payer, nowMs - UNPAID_COUNTED_MS)
  if (unpaid >= unpaidOfPayer)
    throw tooMany(
      `this payer ordered ${unpaidOfPayer} jobs in the last hour whose payments were not used and still could ` +
        'be: wait until some of them are, or have run out',
      60,
    )
  const pausedUntilMs = await findPause(database, { payer, agentId, nowMs })
  if (pausedUntilMs !== undefined)
    throw tooMany(
      `deadline: ${MAX_OWN_DEADLINES} jobs of this payer at this agent ended within ten minutes by deadlines shorter ` +
        'than the agent may take (max_deadline_seconds): leave it more time, later',
      Math.max(1, Math.ceil((pausedUntilMs - nowMs) / 1_000)),
    )
}

function tooMany(sentence: string, retryAfterSeconds: number): Refusal {
  return new Refusal('rate_limited', sentence, { retryAfterSeconds })
}

async function countUnpaidJobs(database: Database, payer: string, sinceMs: number): Promise<number> {
  const [row] = await database.query<{ jobs: number }>(
    'count-unpaid-jobs',
    `select count(*)::int as jobs from jobs where payer = $1 and created_at > $2 and payment = 'open'`,
    [payer, new Date(sinceMs)],
  )
  return row?.jobs ?? 0
}

/** Each agent apart: nobody can have a payer refused by agents that he does not own. */
async function findPause(
  database: Database,
  { payer, agentId, nowMs }: { readonly payer: string; readonly agentId: number; readonly nowMs: number },
): Promise<number | undefined> {
  const [row] = await database.query<{ created_at: Date }>(
    'find-own-deadlines',
    `select created_at from jobs
     where payer = $1 and agent_id = $2 and fault = 'deadline' and created_at > $3
     order by created_at desc offset ${MAX_OWN_DEADLINES - 1} limit 1`,
    [payer, agentId, new Date(nowMs - OWN_DEADLINES_MS)],
  )
  return row && row.created_at.getTime() + OWN_DEADLINES_MS
}
