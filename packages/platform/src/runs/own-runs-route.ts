import { runsAnswer, runsQuery, type RunsAnswer } from '@farebox/platform-api/flows/runs'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'

/** The route that lists the runs with a payment by the signed-in payer, whichever browser or program started them. */
export function ownRunsRoute({ database }: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/me/runs',
    summary: 'The runs that your address paid for',
    access: 'owner',
    query: runsQuery,
    answers: { 200: { description: 'The newest first', schema: runsAnswer } },
    async handle({ query, caller }) {
      return {
        body: await listRuns(database, caller.address, query),
        headers: { 'cache-control': 'no-store' },
      }
    },
  })
}

interface Columns {
  readonly run_id: string
  readonly flow_id: string | null
  readonly name: string
  readonly status: RunsAnswer['runs'][number]['status']
  readonly paid: string
  readonly max_total: string
  readonly created_at: Date
  readonly changed_at: Date
}

async function listRuns(
  database: Database,
  payer: string,
  {
    flow_id: flowId,
    cursor,
    limit,
  }: { readonly flow_id?: string | undefined; readonly cursor?: string | undefined; readonly limit: number },
): Promise<RunsAnswer> {
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const rows = await database.query<Columns>(
    'list-runs',
    `select run_id, flow_id, name, status, paid, max_total, created_at, changed_at from runs
     where payer = $1 and ($2::uuid is null or flow_id = $2)
       and ($3::timestamptz is null or (created_at, run_id) < ($3, $4::uuid))
     order by created_at desc, run_id desc limit $5`,
    [payer, flowId ?? null, after?.createdAt ?? null, after?.runId ?? null, limit + 1],
  )
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return {
    runs: page.map(row => ({
      ...row,
      created_at: row.created_at.getTime() / 1_000,
      changed_at: row.changed_at.getTime() / 1_000,
    })),
    next_cursor: last === undefined ? null : `${last.created_at.getTime()}_${last.run_id}`,
  }
}

function readCursor(cursor: string): { readonly createdAt: Date; readonly runId: string } {
  const parts = /^(\d{1,14})_([0-9a-f-]{36})$/.exec(cursor)
  if (parts === null) throw new Refusal('validation', 'cursor: is not one of this list')
  return { createdAt: new Date(Number(parts[1])), runId: parts[2] ?? '' }
}
