import { describeError } from '@farebox/server/log'
import type pg from 'pg'
import type { PlatformParts } from '../platform-parts.ts'
import { unlessRefused } from '../storage/unless-refused.ts'
import type { PermissionEvent } from './permission-contract.ts'

/** Forgets what blocks after this one said. */
export async function forgetPermissionsAfter(client: pg.PoolClient, blockNumber: number): Promise<void> {
  await client.query('delete from permission_events where block_number > $1', [blockNumber])
}

/**
 * Keeps events, in the caller's transaction. One that is kept already stays as it is; one that the database refuses is left
 * out and logged, so that the others are kept.
 */
export async function storePermissionEvents(
  client: pg.PoolClient,
  events: readonly PermissionEvent[],
  log: PlatformParts['log'],
): Promise<void> {
  for (const event of events) {
    const refusal = await unlessRefused(client, () => storeEvent(client, event))
    if (refusal === undefined) continue
    const { permissionId: permission, transaction } = event
    log.error('permission event left out: the database refuses it', {
      permission,
      transaction,
      error: describeError(refusal),
    })
  }
}

async function storeEvent(client: pg.PoolClient, event: PermissionEvent): Promise<void> {
  const set = event.kind === 'set' ? event : undefined
  const spent = event.kind === 'spent' ? event : undefined
  const named = event.kind === 'spent' ? undefined : event
  await client.query(
    `insert into permission_events (block_number, log_index, kind, permission_id, owner, spender, token, scope, nonce,
       agent_id, capability, spend_limit, cap, expiry, recipients, recipient, amount, ref_prefix, transaction, block_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
     on conflict (block_number, log_index) do nothing`,
    [
      event.blockNumber,
      event.logIndex,
      event.kind,
      event.permissionId,
      event.owner,
      event.spender,
      event.token,
      named?.scope ?? null,
      named?.nonce.toString() ?? null,
      set?.agentId.toString() ?? null,
      set?.capability ?? null,
      set?.limit.toString() ?? null,
      set?.cap.toString() ?? null,
      set?.expiry.toString() ?? null,
      set?.recipients ?? null,
      spent?.recipient ?? null,
      spent?.amount.toString() ?? null,
      spent?.refPrefix ?? null,
      event.transaction,
      new Date(event.blockAtMs),
    ],
  )
}
