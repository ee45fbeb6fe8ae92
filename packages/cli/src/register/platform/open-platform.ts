import { agentAt, agentPage } from '@farebox/platform-api/agent'
import {
  declarationHistory,
  platform,
  type Platform,
  refreshed,
  registration,
} from '@farebox/platform-api/registry'
import { type AskPlatform, createAskPlatform, notAPlatform, PlatformRefusal } from './ask-platform.ts'

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

/** The HTTP API of a platform. Each method rejects with a {@link PlatformRefusal} or a `CommandError`. */
export type OpenPlatform = ReturnType<typeof openPlatform>
export type PlatformAgent = Awaited<ReturnType<OpenPlatform['readAgent']>>

/** Opens the platform at a URL; nothing is sent yet. */
export function openPlatform(url: string, signal: AbortSignal) {
  const ask = createAskPlatform(url, signal)
  const agent = (agentId: number): string => `/v1/agents/${agentId}`
  return {
    url,
    describe: () => describe(ask, url),
    /** Starts the registration of an endpoint, or returns the existing one. The platform probes the endpoint itself. */
    register: (endpoint: string) =>
      ask({ path: '/v1/registrations', body: { endpoint }, schema: registration }),
    readRegistration: (id: string) =>
      ask({ path: `/v1/registrations/${encodeURIComponent(id)}`, schema: registration }),
    /** Makes the platform probe an agent now. */
    refresh: (agentId: number) => ask({ path: `${agent(agentId)}/refresh`, body: {}, schema: refreshed }),
    readAgent: (agentId: number) => ask({ path: agent(agentId), schema: knownAgent }),
    /** Returns the problems found by the latest probe of an agent and by the latest read of its `/about`. */
    readLastLook: (agentId: number) =>
      ask({ path: `${agent(agentId)}/declarations?limit=1`, schema: lastLook }),
    /** Returns the number of the agent that is listed with an endpoint. */
    findAgent: async (endpoint: string) =>
      (await ask({ path: `/v1/agents/at?endpoint=${encodeURIComponent(endpoint)}`, schema: agentAt }))
        .agent_id,
  }
}

/** Reads the page that every platform has; any other response means that the server is not a platform. */
async function describe(ask: AskPlatform, url: string): Promise<Platform> {
  try {
    return await ask({ path: '/v1/platform', schema: platform })
  } catch (error) {
    throw error instanceof PlatformRefusal && error.status === 404 ? notAPlatform(url, 'is HTTP 404') : error
  }
}
