import type pg from 'pg'
import type { RegistryEvent } from './registry-contract.ts'
import { unlessRefused } from '../../storage/unless-refused.ts'

/**
 * Replaces the registrations that do not count yet. One that the database refuses is left out; the log tells of it when it
 * counts.
 */
export async function replacePending(client: pg.PoolClient, events: readonly RegistryEvent[]): Promise<void> {
  await client.query('delete from registry_pending')
  for (const event of events) {
    if (event.kind !== 'registered') continue
    const { agentId, endpoint = '', owner, blockNumber, transaction } = event
    await unlessRefused(client, () =>
      client.query(
        `insert into registry_pending (agent_id, endpoint, owner, block_number, transaction)
         values ($1, $2, $3, $4, $5) on conflict (agent_id) do nothing`,
        [agentId, endpoint, owner, blockNumber, transaction],
      ),
    )
  }
}
