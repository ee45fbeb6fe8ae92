import type { PublicReceipt, PublicReceipts } from '@farebox/platform-api/public-receipts'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { SPEAKS, type ListingStatus } from '../agents/agent-row.ts'
import { Refusal } from '../http/refusal.ts'
import { ownersText } from '../listing/owners-text.ts'
import { IS_PAID, PAID_HASH, PAID_MINUTE } from '../tallies/paid-jobs.ts'

/** The filter and the page of a list of receipts. */
export interface ReceiptsWanted {
  /** The agent whose receipts are listed; undefined for all agents. */
  readonly agentId?: number | undefined
  readonly cursor?: string | undefined
  readonly limit: number
  readonly nowMs: number
}

/**
 * Lists paid jobs in their public form, the newest minute first. Within a minute they are ordered by their hashes, and
 * a minute is listed only once it is over, so that neither the order, nor a cursor, nor repeated requests reveal more
 * of a job's time than its minute.
 *
 * @throws {Refusal} `validation` when the cursor is invalid
 */
export async function readPublicReceipts(
  database: Database,
  { agentId, cursor, limit, nowMs }: ReceiptsWanted,
): Promise<PublicReceipts> {
  const place = cursor === undefined ? undefined : readCursor(cursor)
  const values: unknown[] = [nowMs / 1_000, limit + 1]
  const conditions = [IS_PAID, `${PAID_MINUTE} < date_trunc('minute', ${utc('$1')})`]
  if (agentId !== undefined) conditions.push(`job.agent_id = $${values.push(agentId)}::bigint`)
  if (place !== undefined) {
    const minute = utc(`$${values.push(place.at)}`)
    conditions.push(
      `(${PAID_MINUTE}, ${PAID_HASH}) < (${minute}, decode($${values.push(place.hash)}, 'hex'))`,
    )
  }
  const { rows } = await database.pool.query<ReceiptColumns>(
    `${SELECT} where ${conditions.join(' and ')} order by ${PAID_MINUTE} desc, ${PAID_HASH} desc limit $2`,
    values,
  )
  const receipts = rows.slice(0, limit).map(describeReceipt)
  const last = rows.length > limit ? receipts.at(-1) : undefined
  return { receipts, next_cursor: last === undefined ? null : `${last.at}-${last.hash}` }
}

/**
 * Reads the public receipt with this hash, without waiting for the end of its minute: a caller who knows the hash knows
 * the job or has its receipt. Undefined when there is none.
 *
 * @param hash - 64 lower-case hex digits
 */
export async function readPublicReceipt(
  database: Database,
  hash: string,
): Promise<PublicReceipt | undefined> {
  const [row] = await database.query<ReceiptColumns>(
    'public-receipt',
    `${SELECT} where ${IS_PAID} and ${PAID_HASH} = decode($1, 'hex')`,
    [hash],
  )
  return row && describeReceipt(row)
}

interface ReceiptColumns {
  readonly hash: string
  readonly agent_id: string
  readonly name: string
  readonly standing: ListingStatus
  readonly capability: string
  readonly amount_atomic: string
  readonly at: string
}

const SELECT = `
  select encode(${PAID_HASH}, 'hex') as hash, job.agent_id, agent.name, agent.standing, job.capability,
    job.amount_atomic, extract(epoch from ${PAID_MINUTE})::bigint as at
  from jobs job join agents agent using (agent_id)`

/** Converts Unix seconds to an SQL timestamp in UTC. */
function utc(seconds: string): string {
  return `(to_timestamp(${seconds}::float8) at time zone 'UTC')`
}

const MOST_NAME_CHARACTERS = 64

function describeReceipt(row: ReceiptColumns): PublicReceipt {
  const shown = (text: string): string =>
    SPEAKS[row.standing] ? ownersText(text, MOST_NAME_CHARACTERS).text : ''
  return {
    hash: row.hash,
    agent_id: Number(row.agent_id),
    agent_name: shown(row.name),
    capability: shown(row.capability),
    amount: formatUsdc(BigInt(row.amount_atomic)),
    at: Number(row.at),
  }
}

/**
 * Parses a cursor: the minute and the hash of the last receipt on the previous page. It contains nothing that the page
 * did not show.
 */
function readCursor(cursor: string): Pick<PublicReceipt, 'at' | 'hash'> {
  const [, at, hash] = /^(\d{1,11})-([0-9a-f]{64})$/.exec(cursor) ?? []
  if (at === undefined || hash === undefined)
    throw new Refusal('validation', 'cursor: must be the next_cursor of the page before')
  return { at: Number(at), hash }
}
