import { agentPath, platform, refreshed, type Platform, type Refreshed } from '@farebox/platform-api/registry'
import { Refusal } from '../http/refusal.ts'
import { readAgent } from '../agents/read-agent.ts'
import { whyNotPayable } from '../agents/why-not-payable.ts'
import { defineRoute, type Caller, type Route } from '../http/route.ts'
import { createPermissionsContract } from '../limits/find-contract.ts'
import { forgetPaymentProblem } from '../owners/payment-problem.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { declarationRoutes } from './declaration-routes.ts'
import { inspectAgent } from './inspect/inspect-agent.ts'
import { STAKE_WEI } from '@farebox/contracts/internal/calls/registry-calls'
import { registrationRoutes } from './registration-routes.ts'
import { takeAgent } from './inspect/take-agents.ts'

/** Each refresh makes up to three calls to an untrusted host. */
const INSPECTIONS_PER_MINUTE = 10

/** The routes for the platform's description, registrations, refreshes and declarations. */
export function registryRoutes(parts: PlatformParts): readonly Route[] {
  return [
    platformRoute(parts),
    ...registrationRoutes(parts),
    refreshRoute(parts),
    ...declarationRoutes(parts),
  ]
}

function platformRoute(parts: PlatformParts): Route {
  const { network, settings } = parts
  const permissions = createPermissionsContract(parts)
  const body: Omit<Platform, 'spend_permissions_address'> = {
    api_version: '1',
    public_url: settings.publicUrl,
    local_mode: settings.localMode,
    network: network.id,
    network_name: network.name,
    chain_id: network.chainId,
    registry_address: settings.registryAddress,
    stake_wei: STAKE_WEI.toString(),
    confirmations: settings.confirmations,
    usdc_address: network.asset.address,
    // A block explorer shows the public chain with that number, not a local one.
    ...(network.explorer !== undefined && !settings.localMode && { explorer_url: network.explorer }),
    check_interval_seconds: settings.checkIntervalMs / 1_000,
    refresh_interval_seconds: settings.refreshIntervalMs / 1_000,
    facilitator_url: settings.facilitator === undefined ? null : withoutSecrets(settings.facilitator.url),
    secrets: settings.facilitator !== undefined,
  }
  return defineRoute({
    method: 'GET',
    path: '/v1/platform',
    summary: 'Name, chain and settings of this platform',
    access: 'public',
    answers: { 200: { description: 'What it is', schema: platform } },
    handle: async () => ({
      body: { ...body, spend_permissions_address: (await permissions.find()) ?? null } satisfies Platform,
    }),
  })
}

/** The URL without parts that may contain a secret: the user information, the query and the fragment. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url)
  return pathname === '/' ? origin : origin + pathname
}

function refreshRoute(parts: PlatformParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/agents/:agentId/refresh',
    summary: 'Inspects an agent now, at most once a minute',
    access: 'public',
    params: agentPath,
    perMinute: INSPECTIONS_PER_MINUTE,
    answers: {
      200: { description: 'What the look came to', schema: refreshed },
      404: { description: 'There is no such agent' },
      409: { description: 'The agent was changed on the chain meanwhile' },
      429: { description: 'It was inspected less than a minute ago' },
    },
    async handle({ params: { agentId }, caller }) {
      const body = await refresh(parts, agentId, caller)
      return { body }
    },
  })
}

async function refresh(parts: PlatformParts, agentId: number, caller: Caller): Promise<Refreshed> {
  const taken = await takeAgent(parts.database, agentId, parts.clock.nowMs())
  if (taken.kind === 'not-inspected') throw noSuchAgent(agentId)
  if (taken.kind === 'too-soon') {
    const { retryAfterSeconds } = taken
    throw new Refusal('rate_limited', 'this agent was looked at less than a minute ago', {
      retryAfterSeconds,
    })
  }
  // A refresh by its owner clears the payment problem; the next order shows whether it is solved.
  const known = caller.kind === 'owner' ? await readAgent(parts.database, agentId) : undefined
  if (caller.kind === 'owner' && known?.owner === caller.address)
    await forgetPaymentProblem(parts.database, agentId)
  // The inspection continues when the caller disconnects, because its result is used by everyone.
  const inspected = await inspectAgent(parts, agentId)
  if (inspected === undefined) {
    throw new Refusal('conflict', 'the agent was changed on the chain meanwhile and is looked at again soon')
  }
  const { agent, changes } = inspected
  return {
    agent_id: agentId,
    standing: agent.standing,
    standing_reason: agent.standingReason ?? null,
    payable: whyNotPayable(agent) === undefined,
    last_read_at: toSeconds(agent.refreshedAtMs),
    problem: agent.inspectionProblem ?? null,
    changes: [...changes],
  }
}

function noSuchAgent(agentId: number): Refusal {
  return new Refusal('not_found', `agent ${agentId} is not listed here`)
}

function toSeconds(ms: number | undefined): number | null {
  return ms === undefined ? null : ms / 1_000
}
