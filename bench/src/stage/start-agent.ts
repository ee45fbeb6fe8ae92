import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { AGENT_CONFIG, CURRENT, programsOf, type Build } from './build.ts'
import { startServer, type Server, type ServerProgram } from './start-server.ts'
import type { Stage } from './stage.ts'

/** How our agent is run. */
export interface AgentSettings {
  /** Absent: in dev mode, without payments. */
  readonly paid?: { readonly facilitatorUrl: string; readonly secret: string }
  readonly store: 'memory' | 'lmdb'
  /** Default: the current one. */
  readonly build?: Build
}

/** Starts our agent, `farebox start`, with its public URL, and the log and every other setting as they are by default. */
export async function startAgent(stage: Stage, settings: AgentSettings): Promise<Server> {
  return await startServer(stage, await agentProgram(stage, settings))
}

/** The program and its environment; an lmdb store begins empty. */
export async function agentProgram(
  stage: Stage,
  { paid, store, build = CURRENT }: AgentSettings,
): Promise<ServerProgram> {
  return {
    name: `farebox-${paid === undefined ? 'dev' : store}`,
    file: programsOf(build).farebox,
    arguments: ['start', '--config', AGENT_CONFIG, '--host', '127.0.0.1'],
    // As in production. Payments that name their job at this URL need no claim of their own.
    urlVariable: 'SERVICE_PUBLIC_URL',
    environment: {
      AGENT_WALLET_ADDRESS: TEST_KEYS.agent.address,
      SERVICE_NETWORK: 'eip155:84532',
      SERVICE_STORE: store === 'memory' ? 'memory:' : `lmdb:${await mkdtemp(join(stage.folder, 'jobs-'))}`,
      SERVICE_DEV_MODE: paid === undefined ? 'true' : 'false',
      ...(paid && { FACILITATOR_URL: paid.facilitatorUrl, FACILITATOR_SECRET: paid.secret }),
    },
  }
}
