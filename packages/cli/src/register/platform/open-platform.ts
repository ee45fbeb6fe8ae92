import { agentAt, agentPage } from '@farebox/platform-api/agent'
import {
  declarationHistory,
  platform,
  type Platform,
  refreshed,
  registration,
} from '@farebox/platform-api/registry'
import { liveSession } from '../../home/session-file.ts'
import {
  type AskPlatform,
  createAskPlatform,
  notAPlatform,
  PlatformRefusal,
  unlessPlatformRefused,
} from './ask-platform.ts'

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

/**
 * Opens the platform at a URL; nothing is sent yet.
 *
 * @param home - the folder with the sessions of this machine; without it nothing is asked in the name of an owner
 */
export function openPlatform(url: string, signal: AbortSignal, home?: string) {
  const ask = createAskPlatform(url, signal)
  const agent = (agentId: number): string => `/v1/agents/${agentId}`
  /** Sends the session of this machine along, if there is one. */
  const askAsOwner: AskPlatform = async asked => {
    const session = home === undefined ? undefined : await liveSession(home, url)
    // The platform may have ended a session that still counts as live here.
    const opened = session && (await unlessPlatformRefused(ask({ ...asked, token: session.token }), [401]))
    return opened ?? (await ask(asked))
  }
  return {
    url,
    describe: () => describe(ask, url),
    /**
     * Starts the registration of an endpoint, or returns the existing one. The platform probes the endpoint itself. A
     * session of this machine is sent along, because a private network may be open to its owner (D54).
     */
    register: (endpoint: string) =>
      askAsOwner({ path: '/v1/registrations', body: { endpoint }, schema: registration }),
    /** Reads a registration. That of an agent on a private network is shown to its owner alone. */
    readRegistration: (id: string) =>
      askAsOwner({ path: `/v1/registrations/${encodeURIComponent(id)}`, schema: registration }),
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
