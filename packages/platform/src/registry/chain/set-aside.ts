import { describeError } from '@farebox/server/log'
import type pg from 'pg'
import type { PlatformParts } from '../../platform-parts.ts'
import { lockAgent } from '../../agents/lock-agents.ts'
import { changeListing, enterListing } from '../../listing/change-listing.ts'
import { foldEvents } from './fold-events.ts'
import { readEventsOf } from './store-events.ts'
import { unlessRefused } from '../../storage/unless-refused.ts'

const REASON = 'what the registry contract has of it cannot be kept here: ask the operator'

/**
 * Sets an agent aside of which the chain said something that the database refuses: its row has no endpoint, says why,
 * and is not inspected by itself, so that the others are followed on. The next thing that the chain says of it is tried
 * anew. Where even that row is refused, the log alone tells of it.
 */
export async function setAside(
  client: pg.PoolClient,
  agentId: number,
  {
    refusal,
    log,
    nowMs,
  }: { readonly refusal: Error; readonly log: PlatformParts['log']; readonly nowMs: number },
): Promise<void> {
  log.error('agent set aside: the database refuses what the chain says of it', {
    agent: agentId,
    error: describeError(refusal),
  })
  const again = await unlessRefused(client, () => writeSetAside(client, agentId, nowMs))
  if (again === undefined) return
  log.error('agent left out: the database refuses its row', { agent: agentId, error: describeError(again) })
}

/** What is written is no longer than the contract's own numbers. What was taken down stays so. */
async function writeSetAside(client: pg.PoolClient, agentId: number, nowMs: number): Promise<void> {
  const state = foldEvents(await readEventsOf(client, agentId))
  const agent = await lockAgent(client, agentId)
  const isDown = agent?.standing === 'taken-down'
  const known = state ?? (isDown ? undefined : agent)
  const onChain = known && { ...known, endpointOnChain: '', endpoint: undefined }
  const to = state?.isRegistered === false ? 'deregistered' : isDown ? 'taken-down' : 'refused'
  const reason = to === 'taken-down' ? undefined : REASON
  const change = { event: 'set aside', to, reason, nowMs } as const
  if (agent !== undefined) await changeListing(client, agent, { ...change, ...(onChain && { onChain }) })
  else if (onChain !== undefined) await enterListing(client, agentId, { ...change, onChain })
}
