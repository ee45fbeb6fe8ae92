import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { report as reportShape, reportRequest } from '@farebox/platform-api/operator'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { callerKey } from '../http/caller-key.ts'
import { Refusal } from '../http/refusal.ts'
import type { Caller } from '../http/route.ts'

/** The number of reports kept for one agent; further ones would add nothing. */
const MAX_REPORTS = 1_000

/**
 * Stores a report of an agent. Each reporter has one report of an agent: a new report replaces the former one.
 *
 * Throws a {@link Refusal} `not_found` when the registry has never had this agent.
 */
export async function storeReport(
  database: Database,
  agentId: number,
  { reason, text }: z.infer<typeof reportRequest>,
  { caller, nowMs }: { readonly caller: Caller; readonly nowMs: number },
): Promise<void> {
  const known = await database.query('report-known', 'select 1 from agents where agent_id = $1', [agentId])
  if (known.length === 0) throw new Refusal('not_found', `agentId: there is no agent ${agentId}`)
  const [isOwner, name] = nameReporter(caller)
  await database.query('store-report', STORE, [
    randomUUID(),
    agentId,
    isOwner,
    name,
    reason,
    text,
    new Date(nowMs),
    MAX_REPORTS,
  ])
}

/** Lists a page of reports, the newest first, with the cursor of the next page or null. */
export async function listReports(
  database: Database,
  { agentId, cursor, limit }: { readonly agentId?: number; readonly cursor?: string; readonly limit: number },
): Promise<{ readonly reports: readonly z.infer<typeof reportShape>[]; readonly nextCursor: string | null }> {
  const [atMs, reportId] = cursor?.split('_') ?? []
  const rows = await database.query<ReportRow>('list-reports', LIST, [
    agentId ?? null,
    atMs === undefined ? null : new Date(Number(atMs)),
    reportId ?? null,
    limit + 1,
  ])
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return {
    reports: page.map(describeReport),
    nextCursor: last === undefined ? null : `${last.reported_at.getTime()}_${last.report_id}`,
  }
}

function nameReporter(caller: Caller): readonly [isOwner: boolean, name: string] {
  return caller.kind === 'owner' ? [true, `owner ${caller.address}`] : [false, callerKey(caller.ip)]
}

const STORE = `
  insert into agent_reports (report_id, agent_id, reporter, reason, text, reported_at)
  select $1, $2,
    case when $3 then $4 else encode(sha256(convert_to(salt || ' ' || $4, 'UTF8')), 'hex') end, $5, $6, $7
  from report_salt
  where (select count(*) from agent_reports where agent_id = $2) < $8
  on conflict (agent_id, reporter)
    do update set reason = excluded.reason, text = excluded.text, reported_at = excluded.reported_at`

const LIST = `
  select report_id, agent_id, name, standing, reason, text, reporter, reported_at
  from agent_reports join agents using (agent_id)
  where ($1::bigint is null or agent_id = $1)
    and ($2::timestamptz is null or (reported_at, report_id) < ($2, $3::uuid))
  order by reported_at desc, report_id desc limit $4`

interface ReportRow {
  readonly report_id: string
  readonly agent_id: string
  readonly name: string
  readonly standing: string
  readonly reason: z.infer<typeof reportShape>['reason']
  readonly text: string
  readonly reporter: string
  readonly reported_at: Date
}

function describeReport(row: ReportRow): z.infer<typeof reportShape> {
  return {
    report_id: row.report_id,
    agent_id: Number(row.agent_id),
    agent_name: row.name,
    agent_standing: row.standing,
    reason: row.reason,
    text: row.text,
    reporter: row.reporter,
    reported_at: Math.floor(row.reported_at.getTime() / 1_000),
  }
}
