import type pg from 'pg'
import type { Database } from '@farebox/server/internal/postgres/connect'

/** Something an owner or the operator did that somebody may ask about later. */
export interface AuditEvent {
  readonly atMs: number
  /** An owner's lower-case address, or `operator`. */
  readonly actor: string
  readonly action:
    | 'secret-created'
    | 'secret-rotated'
    | 'secret-revoked'
    | 'agent-taken-down'
    | 'agent-restored'
    | 'run-deleted'
    | 'receipt-key-rotated'
    | 'receipt-key-revoked'
  /** What it was done to: `agent 12`, `secret <id>`, `run <id>`, `receipt key <id>`. */
  readonly subject: string
  /** Never a secret. */
  readonly detail?: { readonly [key: string]: unknown }
}

/** Writes an event down, in the transaction of what it tells of where that is one of ours. */
export async function writeAudit(
  to: Pick<pg.PoolClient, 'query'> | Pick<Database, 'pool'>,
  { atMs, actor, action, subject, detail = {} }: AuditEvent,
): Promise<void> {
  const client = 'pool' in to ? to.pool : to
  await client.query(
    'insert into audit_events (at, actor, action, subject, detail) values ($1, $2, $3, $4, $5)',
    [new Date(atMs), actor, action, subject, JSON.stringify(detail)],
  )
}
