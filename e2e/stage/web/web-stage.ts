import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { registerAgent } from '@farebox/local/src/listing/register-agent'
import type { LocalAgentProcess } from '@farebox/local/src/start-agent-process'
import type { FacilitatorProcess } from '@farebox/local/src/start-facilitator-process'
import type { PlatformProcess } from '@farebox/local/src/start-platform-process'
import { setStage, type Stage } from '../stage.ts'

/** A platform with its pages, and an agent that is listed there. */
export interface WebStage {
  readonly stage: Stage
  readonly facilitator: FacilitatorProcess
  /** The process that runs, or ran last. */
  readonly agent: LocalAgentProcess
  readonly agentId: number
  readonly url: string
  /** Ends the platform as a crash would, and restarts it at the same address. */
  restartPlatform(): Promise<void>
  /** Ends the agent as a crash would. */
  killAgent(): Promise<void>
  /** Keeps jobs of its capability `wait` running until the returned function is called. */
  holdJobs(): Promise<() => Promise<void>>
  /** Starts it at the same address. */
  startAgent(options?: AgentStarted): Promise<void>
  strike(): Promise<void>
}

/** The options of an agent; default: as at first. */
export interface AgentStarted {
  readonly secret?: string
  readonly facilitatorUrl?: string
}

const OWNER = TEST_KEYS.agent

/** Sets up the stage for a browser: the agent `teller` of `e2e/agents`, checked every second. */
export async function setWebStage(environment: { readonly [name: string]: string } = {}): Promise<WebStage> {
  const stage = await setStage()
  const facilitator = await stage.facilitator()
  const settings = { PLATFORM_CHECK_SECONDS: '1', ...environment }
  const start = (port: number): Promise<PlatformProcess> =>
    stage.platform({ facilitator, port, environment: settings })
  let platform = await start(0)
  const { url } = platform
  const hold = join(stage.folder, 'teller-holds')
  const first = await stage.secret(facilitator, [OWNER.address])
  const startOn = (
    port: number,
    { secret = first, facilitatorUrl = facilitator.url }: AgentStarted = {},
  ): Promise<LocalAgentProcess> =>
    stage.agent({
      config: 'e2e/agents/teller/agent.json',
      facilitator: { url: facilitatorUrl },
      secret,
      name: 'teller',
      store: 'memory:',
      wallet: OWNER.address,
      environment: { TELLER_HOLD: hold },
      port,
    })
  let agent = await startOn(0)
  const { agentId } = await registerAgent({ url }, stage.chain, { url: agent.url, wallet: OWNER.address })
  return {
    stage,
    facilitator,
    get agent() {
      return agent
    },
    agentId,
    url,
    async restartPlatform() {
      process.kill(platform.pid, 'SIGKILL')
      await platform.exited
      platform = await start(Number(new URL(url).port))
    },
    async killAgent() {
      process.kill(agent.pid, 'SIGKILL')
      await agent.exited
    },
    async holdJobs() {
      await writeFile(hold, '')
      return () => rm(hold)
    },
    async startAgent(options) {
      agent = await startOn(Number(new URL(agent.url).port), options)
    },
    strike: () => stage.strike(),
  }
}
