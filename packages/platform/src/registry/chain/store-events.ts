import type pg from 'pg'
import type { RegistryEvent } from './registry-contract.ts'
import { unlessRefused } from '../../storage/unless-refused.ts'

/**
 * Stores events in the caller's transaction; an event that is already stored is not changed. Resolves to the agents
 * with an event that the database refused, and the error; the events of other agents are stored.
 */
export async function storeEvents(
  client: pg.PoolClient,
  events: readonly RegistryEvent[],
): Promise<ReadonlyMap<number, Error>> {
  const unkept = new Map<number, Error>()
  if (events.length === 0) return unkept
  const store = async (stored: readonly RegistryEvent[]): Promise<void> => {
    for (const event of stored) await storeEvent(client, event)
  }
  if ((await unlessRefused(client, () => store(events))) === undefined) return unkept
  for (const event of events) {
    const refusal = await unlessRefused(client, () => store([event]))
    if (refusal !== undefined) unkept.set(event.agentId, refusal)
  }
  return unkept
}

async function storeEvent(client: pg.PoolClient, event: RegistryEvent): Promise<void> {
  await client.query(
    `insert into registry_events (block_number, log_index, agent_id, kind, owner, endpoint, stake_wei, transaction,
       block_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (block_number, log_index) do nothing`,
    [
      event.blockNumber,
      event.logIndex,
      event.agentId,
      event.kind,
      event.owner,
      event.endpoint ?? null,
      event.stakeWei?.toString() ?? null,
      event.transaction,
      new Date(event.blockAtMs),
    ],
  )
}

/** Deletes the events of blocks after this one; resolves to the agents of these events. */
export async function forgetEventsAfter(
  client: pg.PoolClient,
  blockNumber: number,
): Promise<ReadonlySet<number>> {
  const { rows } = await client.query<{ agent_id: string }>(
    'delete from registry_events where block_number > $1 returning agent_id',
    [blockNumber],
  )
  return new Set(rows.map(row => Number(row.agent_id)))
}

/** Reads the events of an agent, the oldest first. */
export async function readEventsOf(
  client: pg.PoolClient,
  agentId: number,
): Promise<readonly RegistryEvent[]> {
  const { rows } = await client.query<EventColumns>(
    'select * from registry_events where agent_id = $1 order by block_number, log_index',
    [agentId],
  )
  return rows.map(row => ({
    blockNumber: Number(row.block_number),
    logIndex: row.log_index,
    agentId: Number(row.agent_id),
    kind: row.kind,
    owner: row.owner,
    endpoint: row.endpoint ?? undefined,
    stakeWei: row.stake_wei === null ? undefined : BigInt(row.stake_wei),
    transaction: row.transaction,
    blockAtMs: row.block_at.getTime(),
  }))
}

interface EventColumns {
  readonly block_number: string
  readonly log_index: number
  readonly agent_id: string
  readonly kind: RegistryEvent['kind']
  readonly owner: string
  readonly endpoint: string | null
  readonly stake_wei: string | null
  readonly transaction: string
  readonly block_at: Date
}
