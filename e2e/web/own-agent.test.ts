import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { findChromium } from '@farebox/platform/src/test-setup/browser/browser'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { VisitOptions } from '../stage/web/visitor.ts'
import { createWebScene } from '../stage/web/web-scene.ts'

const OWNER = TEST_KEYS.agent.address

/** A fast machine would reload so often that the platform limits its rate. */
const SELDOM = { interval: 2_000 }

const chromium = findChromium()

describe.skipIf(chromium === undefined)('an owner’s agent, started from a browser', () => {
  const scene = createWebScene(chromium)

  async function come(options: VisitOptions = {}): Promise<Page> {
    return (await scene.come(options)).page
  }

  /** Signs in as the owner of the agent, with the wallet of the browser. */
  async function comeAsOwner(path: string): Promise<Page> {
    const page = await come({ account: OWNER })
    await page.goto(path)
    await page.getByRole('button', { name: 'Sign in', exact: true }).filter({ visible: true }).first().click()
    const sheet = page.getByRole('dialog')
    await sheet.getByRole('button', { name: 'Choose a wallet' }).click()
    await sheet.getByRole('button', { name: 'Example Wallet' }).click()
    await sheet.getByText('wants you to sign in with your Ethereum account').waitFor()
    await sheet.getByRole('button', { name: 'Sign in', exact: true }).click()
    await sheet.waitFor({ state: 'detached' })
    return page
  }

  test('a secret created in the browser starts an agent, which is paid for a job', async () => {
    const page = await comeAsOwner('/owner/secrets')
    await page.getByRole('button', { name: 'Create a secret' }).click()
    await page.getByLabel('Name').fill('From the browser')
    await page.getByRole('button', { name: 'Create the secret' }).click()
    const lines = (await page.getByRole('dialog').locator('pre').innerText()).trim().split('\n')
    const environment = Object.fromEntries(lines.map(line => line.split(/=(.*)/s).slice(0, 2)))
    expect(environment).toMatchObject({
      AGENT_WALLET_ADDRESS: OWNER,
      SERVICE_DEV_MODE: 'false',
      SERVICE_NETWORK: `eip155:${scene.web.stage.chain.chainId}`,
    })
    await page.getByRole('button', { name: 'I have saved it' }).click()

    await scene.web.killAgent()
    await scene.web.startAgent({
      secret: environment['FACILITATOR_SECRET'] ?? '',
      facilitatorUrl: environment['FACILITATOR_URL'] ?? '',
    })
    await payOnce('from a secret of the browser')
    await page.reload()
    await page.getByText('From the browser').first().waitFor()
  })

  test('an offline agent is the first item on its owner’s page, until it is back', async () => {
    const page = await comeAsOwner('/owner')
    await page.getByText('Teller').first().waitFor()
    const notice = page.getByText('It is offline and hidden from the search')
    await expect.poll(() => notice.count()).toBe(0)
    await scene.web.killAgent()
    await expect.poll(() => seenAfterReload(page, notice), SELDOM).toBe(1)
    await scene.web.startAgent()
    await expect.poll(() => seenAfterReload(page, notice), SELDOM).toBe(0)
  })

  async function seenAfterReload(page: Page, notice: ReturnType<Page['getByText']>): Promise<number> {
    await page.reload()
    await page.getByText('Teller').first().waitFor()
    return await notice.count()
  }

  /** A visitor without a wallet orders a job and gets it. */
  async function payOnce(text: string): Promise<void> {
    const page = await come()
    await page.goto(`/agents/${scene.web.agentId}`)
    await page.getByRole('textbox', { name: /^string text/ }).fill(text)
    await page.getByRole('button', { name: 'Pay 0.002 USDC and run' }).click()
    await page.getByText('Paid', { exact: true }).waitFor()
  }
})
