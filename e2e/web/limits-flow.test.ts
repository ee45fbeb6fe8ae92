import type { AgentPage } from '@farebox/platform-api/agent'
import { findChromium } from '@farebox/platform/src/test-setup/browser/browser'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { importFlow } from '../stage/web/builder.ts'
import { findViolations } from '../stage/web/find-violations.ts'
import { startSpendingAgents, type SpendingAgents } from '../stage/web/spending-agents.ts'
import { createWebScene } from '../stage/web/web-scene.ts'

const chromium = findChromium()

describe.skipIf(chromium === undefined)('a flow with a step that moves USDC', () => {
  const scene = createWebScene(chromium)
  let agents: SpendingAgents

  beforeAll(async () => {
    agents = await startSpendingAgents(scene.web, 'Pays the shop.')
  })

  /** One job that pays an invoice. */
  async function payingFlow(): Promise<unknown> {
    const answer = await fetch(`${scene.web.url}/v1/agents/${agents.payerId}`)
    const { name: agent_name, max_deadline_seconds, capabilities } = (await answer.json()) as AgentPage
    const found = capabilities.find(({ name }) => name === 'pay')
    if (found === undefined) throw new Error('the agent has no pay')
    const { hash, price, input_schema, output_schema } = found
    const pinned = { agent_name, hash, price, max_deadline_seconds, input_schema, output_schema }
    const wire = (from: readonly [string, string], to: readonly [string, string]): unknown => ({
      from: { step: from[0], port: from[1] },
      to: { step: to[0], port: to[1] },
    })
    return {
      flow_version: 1,
      name: 'Pay it',
      inputs: { amount: { type: 'string', required: true, minLength: 1, maxLength: 20 } },
      outputs: ['transaction'],
      steps: { pay: { kind: 'job', agent_id: agents.payerId, capability: 'pay', pinned } },
      wires: [
        wire(['input', 'amount'], ['pay', 'amount']),
        wire(['pay', 'transaction'], ['output', 'transaction']),
      ],
    }
  }

  const limits = (page: Page) => page.getByRole('list', { name: 'Steps that move your USDC' })
  const dialog = (page: Page) => page.getByRole('dialog', { name: /^Run/ })

  test('asks for its limit before anything is paid, and the run shows the moved amount beside the paid one', async () => {
    const { page } = await scene.come({ viewport: { width: 1440, height: 900 } })
    await page.goto('/flows/new')
    await importFlow(page, await payingFlow())
    await limits(page).getByText('nothing yet, because no limit is set', { exact: false }).waitFor()
    expect(await findViolations(page)).toEqual([])
    await limits(page).getByRole('link', { name: 'Set a limit' }).click()
    await page.waitForURL(/\/limits\/new/)
    await page.getByRole('button', { name: 'Allow up to 50.00 USDC' }).click()
    await page.waitForURL(/\/flows\//)
    await limits(page).getByText('50.00 left', { exact: false }).waitFor()

    await page.getByRole('button', { name: /^Run, / }).click()
    await dialog(page).getByRole('textbox').first().fill('4.20')
    await dialog(page).getByRole('button', { name: 'See the prices' }).click()
    await limits(page).last().getByText('50.00 left', { exact: false }).waitFor()
    expect(await findViolations(page)).toEqual([])
    await dialog(page)
      .getByRole('button', { name: /^Sign 1 payment/ })
      .click()
    await page.waitForURL('**/runs/*')
    await page.getByRole('heading', { level: 1, name: 'Delivered and paid' }).waitFor()
    const ticket = page.getByRole('region', { name: 'Run ticket' })
    await ticket.getByText('4.20 USDC also spent by agents', { exact: false }).waitFor()
    await ticket.getByText('also spent 4.20', { exact: false }).first().waitFor()
    expect(await findViolations(page)).toEqual([])
  })
})
