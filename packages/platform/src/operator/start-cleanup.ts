import { describeError } from '@farebox/server/log'
import { deleteUnpaidContents } from '../jobs/records/delete-contents.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { startLoops, type Background, type Loop } from '../work/loop.ts'
import { SESSION_IDLE_MS } from '../owners/sessions.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** How long reports of agents are kept. */
export const REPORTS_KEPT_MS = 180 * DAY_MS
/** How long the audit events of owners and the operator are kept. */
export const AUDIT_KEPT_MS = 400 * DAY_MS

/** Rows deleted in one statement, so that others do not wait long for a lock. */
const BATCH = 5_000

/**
 * Deletes expired data every hour: nonces, sessions, reports, audit events, and contents of jobs that were not paid.
 * Any number of workers can run it.
 */
export function startCleanup(parts: Pick<PlatformParts, 'database' | 'clock' | 'log'>): Background {
  const cleanup: Loop = {
    pauseMs: HOUR_MS,
    pass: () => cleanUp(parts),
    onFailure: error => parts.log.warn('cleanup failed', { error: describeError(error) }),
  }
  return startLoops(parts.clock, [cleanup])
}

/** Runs the cleanup once. */
export async function cleanUp({ database, clock }: Pick<PlatformParts, 'database' | 'clock'>): Promise<void> {
  const nowMs = clock.nowMs()
  await deleteUnpaidContents(database, nowMs)
  for (const { name, table, old, beforeMs } of FORGOTTEN) {
    let deleted = BATCH
    while (deleted === BATCH) {
      const rows = await database.query(
        `tidy-${name}`,
        `delete from ${table} where ctid = any (array(select ctid from ${table} where ${old} limit ${BATCH}))
         returning 1`,
        [new Date(nowMs - beforeMs)],
      )
      deleted = rows.length
    }
  }
}

const FORGOTTEN = [
  { name: 'nonces', table: 'sign_in_nonces', old: 'expires_at <= $1', beforeMs: 0 },
  { name: 'browser-sign-ins', table: 'browser_sign_ins', old: 'expires_at <= $1', beforeMs: 0 },
  { name: 'sessions', table: 'sessions', old: 'expires_at <= $1', beforeMs: 0 },
  { name: 'idle-sessions', table: 'sessions', old: 'used_at <= $1', beforeMs: SESSION_IDLE_MS },
  { name: 'reports', table: 'agent_reports', old: 'reported_at <= $1', beforeMs: REPORTS_KEPT_MS },
  { name: 'audit', table: 'audit_events', old: 'at <= $1', beforeMs: AUDIT_KEPT_MS },
] as const
