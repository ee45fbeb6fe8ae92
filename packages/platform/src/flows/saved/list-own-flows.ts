import type { FlowsAnswer } from '@farebox/platform-api/flows/saved-flows'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { Refusal } from '../../http/refusal.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { findBrokenFlows } from './find-broken-flows.ts'

/**
 * A page of the flows stored for an address, the most recently changed first, each with whether it can still be run. A page
 * is shorter when its flows together exceed the limits of one check.
 *
 * @throws {Refusal} `validation` for an invalid cursor
 */
export async function listOwnFlows(
  parts: Pick<PlatformParts, 'database' | 'checker'>,
  owner: string,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
): Promise<FlowsAnswer> {
  const rows = await readLines(parts.database, owner, { cursor, limit: limit + 1 })
  const wanted = rows.slice(0, limit).map(({ flow_id: flowId }) => flowId)
  const { looked, broken } = await findBrokenFlows(parts, wanted, owner)
  const page = rows.slice(0, looked)
  const last = rows.length > looked ? page.at(-1) : undefined
  return {
    flows: page.map(({ flow_id, name, jobs, price_atomic, changed_at }) => ({
      flow_id,
      name,
      jobs,
      price: formatUsdc(BigInt(price_atomic)),
      changed_at: changed_at.getTime() / 1_000,
      broken: broken.has(flow_id),
    })),
    next_cursor: last === undefined ? null : `${last.changed_at.getTime()}_${last.flow_id}`,
  }
}

interface LineColumns {
  readonly flow_id: string
  readonly name: string
  readonly jobs: number
  readonly price_atomic: string
  readonly changed_at: Date
}

async function readLines(
  database: Database,
  owner: string,
  { cursor, limit }: { readonly cursor: string | undefined; readonly limit: number },
): Promise<readonly LineColumns[]> {
  const { changedAt, flowId } = cursor === undefined ? {} : readCursor(cursor)
  return await database.query<LineColumns>(
    'list-own-flows',
    `select flow_id, name, jobs, price_atomic, changed_at from flows
     where owner = $1 and ($2::timestamptz is null or (changed_at, flow_id) < ($2, $3))
     order by changed_at desc, flow_id desc limit $4`,
    [owner, changedAt ?? null, flowId ?? null, limit],
  )
}

const CURSOR = /^(\d{1,15})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

function readCursor(cursor: string): { readonly changedAt: Date; readonly flowId: string } {
  const [, ms, flowId] = CURSOR.exec(cursor) ?? []
  const changedAt = new Date(Number(ms))
  if (flowId !== undefined && !Number.isNaN(changedAt.getTime())) return { changedAt, flowId }
  throw new Refusal('validation', 'cursor: is none of ours')
}
