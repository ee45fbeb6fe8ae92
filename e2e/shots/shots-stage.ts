import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { registerAgent } from '@farebox/local/src/listing/register-agent'
import type { LocalAgentProcess } from '@farebox/local/src/start-agent-process'
import type { Registration } from '@farebox/platform-api/registry'
import { openStorage } from '@farebox/platform/storage/open-storage'
import { until } from '@farebox/protocol/src/test-setup/until'
import { setStage, type Stage } from '../stage/stage.ts'
import { fillHistory } from './fill-history.ts'

/** A platform after some weeks of use: agents with a history, jobs, an owner. */
export interface ShotsStage {
  readonly stage: Stage
  readonly url: string
  /** By the name of its folder. */
  readonly agentIds: { readonly [folder in keyof typeof CONFIGS]: number }
  /** The registration of a listed agent. */
  readonly registrationId: string
  /** An agent that waits to be registered. */
  readonly newcomer: LocalAgentProcess
  /** One in dev mode: some of its checks fail. */
  readonly unfit: LocalAgentProcess
  /** Ends an agent, and waits until the platform shows it offline. */
  takeOffline(folder: keyof typeof CONFIGS): Promise<void>
  strike(): Promise<void>
}

/** Listed agents, by the name of their folder. */
const CONFIGS = {
  'text-statistics': 'examples/text-statistics/agent.json',
  'qr-code': 'examples/qr-code/agent.json',
  summary: 'examples/summary/agent.json',
  teller: 'e2e/agents/teller/agent.json',
  patient: 'e2e/agents/patient/agent.json',
} as const

/** The agents' owner. */
export const OWNER = TEST_KEYS.agent

/** Sets up the stage: real agents, registered and monitored, with some weeks of generated history. */
export async function setShotsStage(): Promise<ShotsStage> {
  const stage = await setStage()
  const schema = `shots_${process.pid}_platform`
  const facilitator = await stage.facilitator()
  const { url } = await stage.platform({
    facilitator,
    environment: { DATABASE_SCHEMA: schema, PLATFORM_CHECK_SECONDS: '2' },
  })
  const secret = await stage.secret(facilitator, [OWNER.address])
  const start = (config: string, name: string, environment = {}): Promise<LocalAgentProcess> =>
    stage.agent({
      config,
      facilitator,
      secret,
      name,
      store: 'memory:',
      wallet: OWNER.address,
      environment,
    })
  const agents: { [folder: string]: LocalAgentProcess } = {}
  const agentIds: { [folder: string]: number } = {}
  let registrationId = ''
  for (const [folder, config] of Object.entries(CONFIGS)) {
    const agent = await start(config, folder)
    agents[folder] = agent
    registrationId = await openRegistration(url, agent.url)
    const { agentId } = await registerAgent({ url }, stage.chain, { url: agent.url, wallet: OWNER.address })
    agentIds[folder] = agentId
  }
  const database = await openStorage({ connectionString: stage.databaseUrl, schema, connections: 2 })
  stage.onStrike(() => database.pool.end())
  await fillHistory(database, agentIds as ShotsStage['agentIds'])
  return {
    stage,
    url,
    agentIds: agentIds as ShotsStage['agentIds'],
    registrationId,
    newcomer: await start('examples/first-agent/agent.json', 'newcomer'),
    unfit: await start('examples/first-agent/agent.json', 'unfit', { SERVICE_DEV_MODE: 'true' }),
    async takeOffline(folder) {
      await agents[folder]?.stop()
      await until(async () => {
        const answer = await fetch(`${url}/v1/agents/${agentIds[folder]}`)
        const { health } = (await answer.json()) as { readonly health: { readonly availability: string } }
        return health.availability === 'offline'
      }, 500)
    },
    strike: () => stage.strike(),
  }
}

async function openRegistration(url: string, endpoint: string): Promise<string> {
  const answer = await fetch(`${url}/v1/registrations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint }),
  })
  return ((await answer.json()) as Registration).registration_id
}
