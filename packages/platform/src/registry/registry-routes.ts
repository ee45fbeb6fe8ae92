import {
  agentPath,
  declarationHistory,
  declarationHistoryQuery,
  platform,
  refreshed,
  registration,
  registrationPath,
  registrationRequest,
  type DeclarationHistory,
  type Platform,
  type Refreshed,
  type Registration as TravellingRegistration,
} from '@farebox/platform-api/registry'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { readHistory } from './declarations/declaration-history.ts'
import { inspectAgent } from './inspect/inspect-agent.ts'
import { readAgent } from '../agents/read-agent.ts'
import { encodeRegister, STAKE_WEI } from './chain/registry-contract.ts'
import { readRegistrationStatus } from './registration-status.ts'
import { openRegistration } from './open-registration.ts'
import { readRegistration, type Registration } from './registrations.ts'
import { takeAgent } from './inspect/take-agents.ts'

const DEFAULT_HISTORY = 20
/** Each makes up to three calls to an untrusted host. */
const INSPECTIONS_PER_MINUTE = 10

/** What the platform is, registrations, and what agents declared and declare. */
export function registryRoutes(parts: PlatformParts): readonly Route[] {
  return [platformRoute(parts), ...registrationRoutes(parts), ...declarationRoutes(parts)]
}

function platformRoute({ network, settings }: PlatformParts): Route {
  const body: Platform = {
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
    ...(network.explorer !== undefined && { explorer_url: network.explorer }),
    check_interval_seconds: settings.checkIntervalMs / 1_000,
    refresh_interval_seconds: settings.refreshIntervalMs / 1_000,
    secrets: settings.facilitator !== undefined,
  }
  return defineRoute({
    method: 'GET',
    path: '/v1/platform',
    summary: 'What this platform is and how it is set up',
    access: 'public',
    answers: { 200: { description: 'What it is', schema: platform } },
    handle: async () => ({ body }),
  })
}

function registrationRoutes(parts: PlatformParts): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/registrations',
      summary: 'Opens the registration of an endpoint, or the one that was opened before',
      access: 'public',
      body: registrationRequest,
      perMinute: INSPECTIONS_PER_MINUTE,
      answers: {
        200: { description: 'The registration', schema: registration },
        400: { description: 'The endpoint cannot be listed, and why' },
        409: { description: 'An agent is listed with this endpoint' },
      },
      handle: async ({ body }) => ({ body: await tell(parts, await openRegistration(parts, body.endpoint)) }),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/registrations/:registrationId',
      summary: 'How far a registration is',
      access: 'public',
      params: registrationPath,
      answers: {
        200: { description: 'The registration', schema: registration },
        404: { description: 'There is none of this id' },
      },
      async handle({ params }) {
        const found = await readRegistration(parts.database, params.registrationId)
        if (found === undefined) throw new Refusal('not_found', 'registration: there is none of this id')
        return { body: await tell(parts, found) }
      },
    }),
  ]
}

function declarationRoutes(parts: PlatformParts): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/agents/:agentId/refresh',
      summary: 'Looks at an agent now, at most once a minute',
      access: 'public',
      params: agentPath,
      perMinute: INSPECTIONS_PER_MINUTE,
      answers: {
        200: { description: 'What the look came to', schema: refreshed },
        404: { description: 'There is no such agent' },
        409: { description: 'The agent was changed on the chain meanwhile' },
        429: { description: 'It was looked at less than a minute ago' },
      },
      handle: async ({ params }) => ({ body: await refresh(parts, params.agentId) }),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/agents/:agentId/declarations',
      summary: 'How what an agent declares has changed, the newest first',
      access: 'public',
      params: agentPath,
      query: declarationHistoryQuery,
      answers: {
        200: { description: 'The newest declarations', schema: declarationHistory },
        404: { description: 'There is no such agent' },
      },
      handle: async ({ params, query }) => ({ body: await tellHistory(parts, params.agentId, query) }),
    }),
  ]
}

async function tell(parts: PlatformParts, open: Registration): Promise<TravellingRegistration> {
  const { settings, network } = parts
  const { status, stakedByOthers } = await readRegistrationStatus(parts, open)
  return {
    registration_id: open.registrationId,
    endpoint: open.endpoint,
    found: open.found,
    examined_at: open.examinedAtMs / 1_000,
    stake_wei: STAKE_WEI.toString(),
    registry_address: settings.registryAddress,
    chain_id: network.chainId,
    call_data: encodeRegister(open.endpoint),
    stake_page_url: `${settings.publicUrl}/stake/${open.registrationId}`,
    status,
    staked_by_others: stakedByOthers,
  }
}

async function refresh(parts: PlatformParts, agentId: number): Promise<Refreshed> {
  const taken = await takeAgent(parts.database, agentId, parts.clock.nowMs())
  if (taken.kind === 'not-inspected') throw noSuchAgent(agentId)
  if (taken.kind === 'too-soon') {
    const { retryAfterSeconds } = taken
    throw new Refusal('rate_limited', 'this agent was looked at less than a minute ago', {
      retryAfterSeconds,
    })
  }
  // Whoever asked may go away; the inspection is for everybody.
  const inspected = await inspectAgent(parts, agentId)
  if (inspected === undefined) {
    throw new Refusal('conflict', 'the agent was changed on the chain meanwhile and is looked at again soon')
  }
  const { agent, changes } = inspected
  return {
    agent_id: agentId,
    standing: agent.standing,
    standing_reason: agent.standingReason ?? null,
    payable: agent.standing === 'listed' && agent.wallet !== undefined && agent.wallet === agent.provenWallet,
    last_read_at: toSeconds(agent.refreshedAtMs),
    problem: agent.inspectionProblem ?? null,
    changes: [...changes],
  }
}

async function tellHistory(
  { database }: PlatformParts,
  agentId: number,
  {
    before,
    limit = DEFAULT_HISTORY,
  }: { readonly before?: number | undefined; readonly limit?: number | undefined },
): Promise<DeclarationHistory> {
  const agent = await readAgent(database, agentId)
  // What the operator took down is not shown by another door.
  if (agent === undefined || agent.standing === 'taken-down') throw noSuchAgent(agentId)
  const history = await readHistory(database, agentId, { before, limit })
  return {
    agent_id: agentId,
    last_read_at: toSeconds(agent.refreshedAtMs),
    problem: agent.inspectionProblem ?? null,
    declarations: history.map(({ version, readAtMs, severity, changes }) => ({
      version,
      read_at: readAtMs / 1_000,
      severity,
      changes: [...changes],
    })),
  }
}

function noSuchAgent(agentId: number): Refusal {
  return new Refusal('not_found', `agent ${agentId} is not listed here`)
}

function toSeconds(ms: number | undefined): number | null {
  return ms === undefined ? null : ms / 1_000
}
