import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { AGENT_CONFIG, CURRENT, programsOf, type Build } from './build.ts'
import { startServer, type Server } from './start-server.ts'
import type { Stage } from './stage.ts'

/** The options of our agent. */
interface AgentSettings {
  readonly paid: { readonly facilitatorUrl: string; readonly secret: string }
  /** Default: the current one. */
  readonly build?: Build
}

/**
 * Starts our agent, `farebox start`, with its public URL and an empty lmdb store; the log and every other setting have
 * their defaults.
 */
export async function startAgent(stage: Stage, { paid, build = CURRENT }: AgentSettings): Promise<Server> {
  return await startServer(stage, {
    name: 'farebox-lmdb',
    file: programsOf(build).farebox,
    arguments: ['start', '--config', AGENT_CONFIG, '--host', '127.0.0.1'],
    // As in production. Payments bound to their job at this URL need no separate claim.
    urlVariable: 'SERVICE_PUBLIC_URL',
    environment: {
      AGENT_WALLET_ADDRESS: TEST_KEYS.agent.address,
      SERVICE_NETWORK: 'eip155:84532',
      SERVICE_STORE: `lmdb:${await mkdtemp(join(stage.folder, 'jobs-'))}`,
      SERVICE_DEV_MODE: 'false',
      FACILITATOR_URL: paid.facilitatorUrl,
      FACILITATOR_SECRET: paid.secret,
    },
  })
}
