import { agentPage, type AgentPage } from '@farebox/platform-api/agent'
import {
  declarationHistory,
  platform,
  type Platform,
  refreshed,
  type Refreshed,
  registration,
  type Registration,
} from '@farebox/platform-api/registry'
import { type AskPlatform, createAskPlatform, notAPlatform, PlatformRefusal } from './ask-platform.ts'

/** A platform, spoken to by its HTTP API. Each method rejects with a {@link PlatformRefusal} or a `CommandError`. */
export interface OpenPlatform {
  readonly url: string
  describe(): Promise<Platform>
  /** Begins the registration of an endpoint, or gives the one there is. The platform looks at the endpoint itself. */
  register(endpoint: string): Promise<Registration>
  readRegistration(registrationId: string): Promise<Registration>
  /** Has the platform look at an agent now. */
  refresh(agentId: number): Promise<Refreshed>
  readAgent(agentId: number): Promise<KnownAgent>
  /** What its last look at an agent stumbled over, and when it read its `/about` last. */
  readLastLook(agentId: number): Promise<Pick<Refreshed, 'problem' | 'last_read_at'>>
}

export type KnownAgent = Pick<
  AgentPage,
  'agent_id' | 'endpoint' | 'standing' | 'standing_reason' | 'payable' | 'notices' | 'refreshed_at' | 'health'
>

const knownAgent = agentPage.pick({
  agent_id: true,
  endpoint: true,
  standing: true,
  standing_reason: true,
  payable: true,
  notices: true,
  refreshed_at: true,
  health: true,
})
const lastLook = declarationHistory.pick({ problem: true, last_read_at: true })

/** Opens the platform at a URL; nothing is sent yet. */
export function openPlatform(url: string, signal: AbortSignal): OpenPlatform {
  const ask = createAskPlatform(url, signal)
  return {
    url,
    describe: () => describe(ask, url),
    register: endpoint => ask({ path: '/v1/registrations', body: { endpoint }, schema: registration }),
    readRegistration: id =>
      ask({ path: `/v1/registrations/${encodeURIComponent(id)}`, schema: registration }),
    refresh: agentId => ask({ path: `/v1/agents/${agentId}/refresh`, body: {}, schema: refreshed }),
    readAgent: agentId => ask({ path: `/v1/agents/${agentId}`, schema: knownAgent }),
    readLastLook: agentId => ask({ path: `/v1/agents/${agentId}/declarations?limit=1`, schema: lastLook }),
  }
}

/** Every platform has this page: what does not is none, in whatever form it says so. */
async function describe(ask: AskPlatform, url: string): Promise<Platform> {
  try {
    return await ask({ path: '/v1/platform', schema: platform })
  } catch (error) {
    throw error instanceof PlatformRefusal && error.status === 404 ? notAPlatform(url, 'is HTTP 404') : error
  }
}
