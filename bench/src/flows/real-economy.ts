import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readAbout } from '@farebox/client/agent/read-about'
import { execute } from '@farebox/client/execute'
import { runFlow } from '@farebox/client/run-flow'
import type { Flow, PortRef, Step, Wire } from '@farebox/flows/document/flow'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { startEconomy } from '@farebox/local/economy'
import { registerAgent } from '@farebox/local/internal/register-agent'
import { findFreePort } from '@farebox/local/src/processes/free-port'
import type { PaymentSigner } from '@farebox/payments/x402/sign-payment'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { capabilitiesAnswer } from '@farebox/platform-api/flows/capabilities'
import type { Stage } from '../stage/stage.ts'

const EXAMPLES = fileURLToPath(new URL('../../../examples', import.meta.url))
const AGENTS = [
  { folder: 'summary', key: TEST_KEYS.thirdAgent },
  { folder: 'text-statistics', key: TEST_KEYS.agent },
  { folder: 'qr-code', key: TEST_KEYS.secondAgent },
] as const
/** In the order of the flow, each fed with the text that the one before gave, or was given. */
const CAPABILITIES = ['summarize', 'count', 'encode'] as const

const ARTICLE =
  'A sourdough needs flour, water, salt and time. The starter is fed in the evening, and in the morning it has doubled. ' +
  'Then the dough is mixed, folded every half hour, and left alone. It is baked in a hot pot with the lid on.'

/** Two ways to have the three example agents paid and at work on a chain: as a run of a flow, and called one by one. */
export interface RealEconomy {
  readonly run: () => Promise<void>
  readonly callEach: () => Promise<void>
}

/** Starts agents, facilitator, platform, database and chain as `npm start` does. */
export async function startRealEconomy(stage: Stage): Promise<RealEconomy> {
  const ports = await Promise.all(AGENTS.map(() => findFreePort()))
  const economy = await startEconomy({
    folder: join(stage.folder, 'economy'),
    agents: AGENTS.map(({ folder, key }, index) => ({
      config: join(EXAMPLES, folder, 'agent.json'),
      wallet: key.address,
      port: ports[index] ?? 0,
    })),
    chainPort: await findFreePort(),
    facilitatorPort: await findFreePort(),
    platformPort: await findFreePort(),
    databaseUrl: process.env['DATABASE_URL'],
  })
  stage.onStrike(economy.stop)
  const { platform, chain, agents } = economy
  if (platform === undefined) throw new Error('no platform was started')
  for (const { url, declaration } of agents)
    await registerAgent(platform, chain, { url, wallet: declaration.wallet })
  const signer = privateKeySigner(stage.crypto, TEST_KEYS.payer.privateKey)
  const flow = await threeAgents(platform.url)
  return {
    async run() {
      const { output, paid } = await runFlow(
        platform.url,
        flow,
        { article: ARTICLE },
        { signer, maxTotal: '0.017' },
      )
      if (paid !== '0.017' || typeof output['code'] !== 'string') throw new Error(`a run was paid ${paid}`)
    },
    callEach: await callers(
      agents.map(({ url }) => url),
      signer,
    ),
  }
}

/** The flow of what the platform offers, each step fed with text. */
async function threeAgents(platformUrl: string): Promise<Flow> {
  const answer = await fetch(`${platformUrl}/v1/capabilities`)
  const { capabilities } = capabilitiesAnswer.parse(await answer.json())
  const stepOf = (name: string): Step => {
    const found = capabilities.find(({ capability }) => capability === name)
    const pinned = found?.pinned ?? undefined
    if (found === undefined || pinned === undefined) throw new Error(`nobody offers ${name}`)
    // Checked by the platform before it is run.
    return { kind: 'job', agent_id: found.agent_id, capability: name, pinned } as unknown as Step
  }
  const [summary, count, code] = CAPABILITIES.map(stepOf)
  if (summary === undefined || count === undefined || code === undefined) throw new Error('a step is missing')
  const end = (text: string): PortRef => {
    const [step = '', port = ''] = text.split('.')
    return { step, port }
  }
  const wire = (from: string, to: string): Wire => ({ from: end(from), to: end(to) })
  return {
    flow_version: 1,
    name: 'Three agents',
    inputs: { article: { type: 'string', required: true } },
    outputs: ['words', 'code'],
    steps: { summary, count, code },
    wires: [
      wire('input.article', 'summary.text'),
      wire('summary.summary', 'count.text'),
      wire('summary.summary', 'code.text'),
      wire('count.words', 'output.words'),
      wire('code.svg', 'output.code'),
    ],
  }
}

/** The same three jobs by a program that calls each agent itself: what comes after is ordered as soon as it can be. */
async function callers(urls: readonly string[], signer: PaymentSigner): Promise<() => Promise<void>> {
  const agents = await Promise.all(urls.map(async url => ({ url, declaration: await readAbout(url) })))
  const agentWith = (capability: string) => {
    const agent = agents.find(({ declaration }) => Object.hasOwn(declaration.capabilities, capability))
    if (agent === undefined) throw new Error(`nobody serves ${capability}`)
    return agent
  }
  return async () => {
    const options = { signer, maxPrice: '0.01' }
    const { output } = await execute(agentWith('summarize'), 'summarize', { text: ARTICLE }, options)
    const text = String(output['summary'])
    const results = await Promise.all([
      execute(agentWith('count'), 'count', { text }, options),
      execute(agentWith('encode'), 'encode', { text }, options),
    ])
    if (results.some(({ payment }) => payment?.transaction === undefined))
      throw new Error('a job was not paid')
  }
}
