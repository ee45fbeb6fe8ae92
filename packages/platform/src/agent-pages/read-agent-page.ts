import type { AgentNotice, AgentPage } from '@farebox/platform-api/agent'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { readLastCanary, type LastCanary } from '../canary/canary-store.ts'
import { readHealthSummary, type HealthSummary } from '../monitor/read-health.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { describeCapability, MOST_DESCRIPTION_CHARACTERS } from './describe-capability.ts'
import { SPEAKS, type AgentRow } from '../agents/agent-row.ts'
import { readAgent } from '../agents/read-agent.ts'
import { whyNotPayable } from '../agents/why-not-payable.ts'
import { ownersText } from '../listing/owners-text.ts'
import { shownEndpoint } from '../listing/shown-endpoint.ts'
import { readTally } from '../tallies/read-tally.ts'
import { priceRises, type PriceRise } from '../agents/price-rises.ts'
import { readPriceLists } from '../agents/read-price-lists.ts'

/** How long a price rise is shown: while callers may still remember the lower price. */
const PRICE_RISE_TOLD_MS = 7 * 86_400_000

const MOST_NAME_CHARACTERS = 64

/** Everything public about an agent; `undefined` when no agent ever had this number. */
export async function readAgentPage(parts: PlatformParts, agentId: number): Promise<AgentPage | undefined> {
  const { database, clock, settings } = parts
  const fromMs = clock.nowMs() - PRICE_RISE_TOLD_MS
  const [agent, tally, health, priceLists, canary] = await Promise.all([
    readAgent(database, agentId),
    readTally(database.pool, agentId),
    readHealthSummary(database, agentId, clock.nowMs()),
    readPriceLists(database, agentId, fromMs),
    readLastCanary(database, agentId),
  ])
  if (agent === undefined) return undefined
  // The texts of an agent that was taken down or refused are not published.
  const declaration = SPEAKS[agent.standing] ? agent.declaration : undefined
  const name = ownersText(SPEAKS[agent.standing] ? agent.name : '', MOST_NAME_CHARACTERS)
  const description = ownersText(declaration?.description ?? '', MOST_DESCRIPTION_CHARACTERS)
  const reason = whyNotPayable(agent)
  return {
    agent_id: agent.agentId,
    name: name.text,
    description: description.text,
    text_warnings: [...new Set([...name.warnings, ...description.warnings])],
    endpoint: SPEAKS[agent.standing] ? shownEndpoint(agent.endpoint) : null,
    owner: agent.owner,
    wallet: agent.wallet ?? null,
    registered_at: seconds(agent.registeredAtMs),
    standing: agent.standing,
    standing_reason: agent.standingReason ?? null,
    payable: reason === undefined,
    badge: agent.badgeShown,
    category: agent.category ?? null,
    health: health === undefined ? null : withoutNumber(health),
    jobs_done: tally.jobsDone,
    job_p50_ms: tally.jobP50Ms ?? null,
    job_p95_ms: tally.jobP95Ms ?? null,
    stake: tellStake(agent),
    last_trial: tellTrial(canary),
    max_deadline_seconds: declaration?.max_deadline_seconds ?? null,
    capabilities: await capabilitiesOf(declaration),
    declaration_version: agent.declarationVersion,
    refreshed_at: agent.refreshedAtMs === undefined ? null : seconds(agent.refreshedAtMs),
    notices: [
      ...(reason === undefined ? [] : [{ kind: 'not-payable', text: reason } as const]),
      ...(declaration === undefined ? [] : priceRises(priceLists, fromMs).map(tellRise)),
    ],
    openapi_url: `${settings.publicUrl}/v1/agents/${agent.agentId}/openapi.json`,
  }
}

function withoutNumber({ agent_id: _agentId, ...summary }: HealthSummary): NonNullable<AgentPage['health']> {
  return summary
}

function tellTrial(canary: LastCanary | undefined): AgentPage['last_trial'] {
  if (canary?.outcome === undefined || canary.ranAtMs === undefined) return null
  return { outcome: canary.outcome, reason: canary.reason ?? null, at: seconds(canary.ranAtMs) }
}

function tellRise({ capability, from, to, sinceMs }: PriceRise): AgentNotice {
  const name = ownersText(capability, MOST_NAME_CHARACTERS).text
  return {
    kind: 'price-risen',
    capability,
    from,
    to,
    since: seconds(sinceMs),
    text: `The price of ${JSON.stringify(name)} went up from ${from} to ${to} USDC.`,
  }
}

async function capabilitiesOf(declaration: Declaration | undefined): Promise<AgentPage['capabilities']> {
  const declared = Object.entries(declaration?.capabilities ?? {})
  return await Promise.all(declared.map(([name, capability]) => describeCapability(name, capability)))
}

/** Null after the stake was returned to the owner. */
function tellStake(agent: AgentRow): AgentPage['stake'] {
  if (agent.standing === 'deregistered') return null
  return {
    amount_wei: agent.stakeWei.toString(),
    transaction: agent.registeredTransaction,
    block_number: agent.registeredBlock,
  }
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000)
}
