import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { topUp, usdcBalance } from '@farebox/local/src/chain/top-up'
import { registerAgent } from '@farebox/local/src/listing/register-agent'
import type { AgentPage } from '@farebox/platform-api/agent'
import { findChromium } from '@farebox/platform/src/test-setup/browser/browser'
import { beforeAll, describe, expect, test } from 'vitest'
import { importFlow } from '../stage/web/builder.ts'
import { findViolations } from '../stage/web/find-violations.ts'
import { createWebScene } from '../stage/web/web-scene.ts'

const chromium = findChromium()
const TEXT =
  'Agents hire agents. Each agent is paid per job. A budget bounds what an agent pays to others, and the agent keeps the rest.'

describe.skipIf(chromium === undefined)('a flow with a step that hires other agents', () => {
  const scene = createWebScene(chromium)
  let researcherId: number

  beforeAll(async () => {
    const { stage, facilitator, url } = scene.web
    const served = async (
      folder: string,
      wallet: string,
      environment: { readonly [name: string]: string } = {},
    ) => {
      const secret = await stage.secret(facilitator, [wallet])
      const config = `examples/${folder}/agent.json`
      return await stage.agent({
        config,
        facilitator,
        secret,
        name: folder,
        store: 'memory:',
        wallet,
        environment,
      })
    }
    const summary = await served('summary', TEST_KEYS.secondAgent.address)
    const statistics = await served('text-statistics', TEST_KEYS.agent.address)
    const researcher = await served('researcher', TEST_KEYS.thirdAgent.address, {
      HIRING_PRIVATE_KEY: TEST_KEYS.hirer.privateKey,
      SUMMARY_AGENT_URL: summary.url,
      STATISTICS_AGENT_URL: statistics.url,
    })
    await topUp(stage.chain, TEST_KEYS.hirer.address, 1_000_000n)
    const owner = { url: researcher.url, wallet: TEST_KEYS.thirdAgent.address }
    researcherId = (await registerAgent({ url }, stage.chain, owner)).agentId
  })

  async function digestFlow(): Promise<unknown> {
    const answer = await fetch(`${scene.web.url}/v1/agents/${researcherId}`)
    const { name: agent_name, max_deadline_seconds, capabilities } = (await answer.json()) as AgentPage
    const [found] = capabilities
    if (found === undefined) throw new Error('the researcher has no capability')
    const { hash, price, input_schema, output_schema } = found
    const pinned = { agent_name, hash, price, max_deadline_seconds, input_schema, output_schema }
    return {
      flow_version: 1,
      name: 'Digest',
      inputs: { text: { type: 'string', required: true, minLength: 20, maxLength: 20_000 } },
      outputs: ['gist'],
      steps: { digest: { kind: 'job', agent_id: researcherId, capability: 'digest', pinned } },
      wires: [
        { from: { step: 'input', port: 'text' }, to: { step: 'digest', port: 'text' } },
        { from: { step: 'digest', port: 'gist' }, to: { step: 'output', port: 'gist' } },
      ],
    }
  }

  test('is run and shown like any other, and pays the agents that it hires out of its own wallet', async () => {
    const { chain } = scene.web.stage
    const hired = await usdcBalance(chain, TEST_KEYS.hirer.address)
    const { page } = await scene.come({ viewport: { width: 1440, height: 900 } })
    await page.goto('/flows/new')
    await importFlow(page, await digestFlow())
    await page.getByRole('button', { name: /^Run, / }).click()
    const dialog = page.getByRole('dialog', { name: /^Run/ })
    await dialog.getByRole('textbox').first().fill(TEXT)
    await dialog.getByRole('button', { name: 'See the prices' }).click()
    await dialog.getByRole('button', { name: /^Sign 1 payment/ }).click()
    await page.waitForURL('**/runs/*')
    await page.getByRole('heading', { level: 1, name: 'Delivered and paid' }).waitFor()
    await page.getByText('Researcher', { exact: false }).first().waitFor()
    await page.getByText('0.02', { exact: false }).first().waitFor()
    expect(await findViolations(page)).toEqual([])
    // 0.01 for the gist, 0.003 for the topics, 0.002 for the length.
    expect(hired - (await usdcBalance(chain, TEST_KEYS.hirer.address))).toBe(15_000n)
  })
})
