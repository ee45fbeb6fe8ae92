import type pg from 'pg'
import type { Database } from '@farebox/server/internal/postgres/connect'

/** An action of an owner or of the operator that is recorded for later questions. */
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
  /** The object of the action: `agent 12`, `secret <id>`, `run <id>`, `receipt key <id>`. */
  readonly subject: string
  /** Must never contain a secret. */
  readonly detail?: { readonly [key: string]: unknown }
}

/**
 * Records an event. When the action is written in a transaction of ours, the caller passes its client, so that both are
 * committed together.
 */
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
