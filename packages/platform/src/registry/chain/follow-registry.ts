import type pg from 'pg'
import {
  createContractFollower,
  type ContractFollower,
  type FollowedContract,
  type FollowContractOptions,
} from '../../contract-events/follow-contract.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { unlessRefused } from '../../storage/unless-refused.ts'
import { applyChainState } from './apply-chain-state.ts'
import { EVENT_TOPICS, readRegistryLog, type RegistryEvent } from './registry-contract.ts'
import { forgetEventsAfter, storeEvents } from './store-events.ts'

type RegistryParts = Pick<
  PlatformParts,
  'database' | 'rpc' | 'clock' | 'log' | 'network' | 'outbound' | 'settings'
>

/**
 * Creates a follower of the AgentRegistry contract (D36). An agent's row reflects events that have
 * `settings.confirmations`; newer registrations are stored separately, for pages that wait for them.
 */
export function createRegistryFollower(
  parts: RegistryParts,
  options: FollowContractOptions = {},
): ContractFollower {
  return createContractFollower(parts, registryContract(parts), options)
}

function registryContract(parts: RegistryParts): FollowedContract<RegistryEvent> {
  const { settings, outbound, log, clock } = parts
  return {
    name: 'registry',
    address: settings.registryAddress,
    topics: EVENT_TOPICS,
    confirmations: settings.confirmations,
    read: readRegistryLog,
    async write(client, { events, rewrittenAfter }) {
      // Agents with events in an abandoned block are also updated, whether or not the new blocks contain events of
      // them.
      const misread = rewrittenAfter === undefined ? [] : await forgetEventsAfter(client, rewrittenAfter)
      const unkept = await storeEvents(client, events)
      const agentIds = new Set([...misread, ...events.map(event => event.agentId)])
      const judge: typeof outbound.judge = (url, calledFor) => outbound.judge(url, calledFor)
      await applyChainState(client, agentIds, { judge, log, nowMs: clock.nowMs(), unkept })
    },
    writePending: replacePending,
  }
}

/**
 * Replaces the registrations that are not confirmed yet. One that the database refuses is skipped; it is logged once it
 * is confirmed.
 */
async function replacePending(client: pg.PoolClient, events: readonly RegistryEvent[]): Promise<void> {
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
