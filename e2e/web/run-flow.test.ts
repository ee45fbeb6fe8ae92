import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { registerAgent } from '@farebox/local/src/listing/register-agent'
import type { AgentPage } from '@farebox/platform-api/agent'
import type { TemplatesAnswer } from '@farebox/platform-api/flows/saved-flows'
import { findChromium } from '@farebox/platform/src/test-setup/browser/browser'
import { WalletError } from '@farebox/platform/src/test-setup/browser/browser-wallet'
import { signInBrowser } from '@farebox/platform/src/test-setup/browser/sign-in-browser'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { findViolations } from '../stage/web/find-violations.ts'
import { createWebScene } from '../stage/web/web-scene.ts'

const OWNER = TEST_KEYS.secondPayer
const PAYER = TEST_KEYS.payer.address
const USDC = '0x036cbd53842c5426634e7929541ec2318f3dcf7e'
const WIDTHS = [320, 390, 768, 1024, 1280, 1920]

const chromium = findChromium()

describe.skipIf(chromium === undefined)('a flow that is run in a browser', () => {
  const scene = createWebScene(chromium)

  beforeAll(async () => {
    const { stage, facilitator, url } = scene.web
    const secret = await stage.secret(facilitator, [TEST_KEYS.agent.address])
    for (const name of ['summary', 'qr-code']) {
      const config = `examples/${name}/agent.json`
      const agent = await stage.agent({ config, facilitator, secret, name, store: 'memory:' })
      await registerAgent({ url }, stage.chain, { url: agent.url, wallet: TEST_KEYS.agent.address })
    }
  })

  /** The amount paid to the agents, in atomic units. */
  async function earned(): Promise<bigint> {
    const data = `0x70a08231${TEST_KEYS.agent.address.slice(2).toLowerCase().padStart(64, '0')}`
    const call = [{ to: USDC, data }, 'latest']
    return BigInt(String(await callAnvil(scene.web.stage.chain.rpcUrl, 'eth_call', call)))
  }

  /** Saves a flow for another owner, and returns its shared page. */
  async function share(flow: unknown): Promise<string> {
    const { url } = scene.web
    const { context } = await scene.come()
    await signInBrowser(context, url, OWNER.privateKey)
    const headers = { origin: url }
    const saved = await context.request.post('/v1/flows', { headers, data: { flow } })
    expect(saved.status(), await saved.text()).toBe(201)
    const { flow_id: flowId } = (await saved.json()) as { readonly flow_id: string }
    const shared = await context.request.post(`/v1/flows/${flowId}/share`, { headers, data: {} })
    const { share_id: shareId } = (await shared.json()) as { readonly share_id: string }
    return `/shared/${shareId}`
  }

  async function templateOf(id: string): Promise<TemplatesAnswer['templates'][number]> {
    const answer = await fetch(`${scene.web.url}/v1/flows/templates`)
    const { templates } = (await answer.json()) as TemplatesAnswer
    const found = templates.find(({ template_id: templateId }) => templateId === id)
    if (found === undefined) throw new Error(`no template ${id} among ${templates.length}`)
    return found
  }

  /** A flow of two jobs of the agent `teller`, the second of which fails the first time. */
  async function stumbling(prices: { readonly [capability: string]: string } = {}): Promise<unknown> {
    const answer = await fetch(`${scene.web.url}/v1/agents/${scene.web.agentId}`)
    const agent = (await answer.json()) as AgentPage
    const step = (capability: string, label: string): unknown => {
      const found = agent.capabilities.find(({ name }) => name === capability)
      if (found === undefined) throw new Error(`the teller has no ${capability}`)
      const { hash, input_schema, output_schema } = found
      const price = prices[capability] ?? found.price
      const { name: agent_name, max_deadline_seconds } = agent
      const pinned = { agent_name, hash, price, max_deadline_seconds, input_schema, output_schema }
      return { kind: 'job', agent_id: agent.agent_id, capability, label, pinned }
    }
    const wire = (from: string, to: string): unknown => {
      const [[source, out], [target, into]] = [from.split('.'), to.split('.')]
      return { from: { step: source, port: out }, to: { step: target, port: into } }
    }
    return {
      flow_version: 1,
      name: 'Counted twice',
      inputs: { text: { type: 'string', required: true, maxLength: 40 } },
      outputs: ['one', 'two'],
      steps: { count: step('count', 'Counter'), stumble: step('stumble', 'Stumbler') },
      wires: [
        wire('input.text', 'count.text'),
        wire('input.text', 'stumble.text'),
        wire('count.words', 'output.one'),
        wire('stumble.words', 'output.two'),
      ],
    }
  }

  const dialog = (page: Page) => page.getByRole('dialog', { name: /^Run/ })

  /** Opens the sheet with all prices. */
  async function openSheet(page: Page, path: string, input: unknown): Promise<void> {
    await page.goto(path, { waitUntil: 'networkidle' })
    await page.getByRole('button', { name: /^Run it/ }).click()
    await dialog(page).getByRole('button', { name: 'JSON' }).click()
    await dialog(page).getByRole('textbox').fill(JSON.stringify(input))
    await dialog(page).getByRole('button', { name: 'See the prices' }).click()
    await dialog(page).getByText('Maximum total').waitFor()
  }

  async function sign(page: Page): Promise<void> {
    await dialog(page)
      .getByRole('button', { name: /^Sign \d+ payments?/ })
      .click()
    await page.waitForURL('**/runs/*')
  }

  const headline = (page: Page, name: string | RegExp) =>
    page.getByRole('heading', { level: 1, name }).waitFor()

  test('a template: every price first, one press, each step delivered and paid once, with its receipt', async () => {
    const { flow, sample_input: input } = await templateOf('article-card')
    const path = await share(flow)
    const { page } = await scene.come()
    const before = await earned()
    await openSheet(page, path, input)
    const lines = dialog(page).getByRole('list', { name: 'Signed now' }).getByRole('listitem')
    expect(await lines.allInnerTexts()).toEqual([
      expect.stringMatching(/Summary[^]*0\.01[^]*to 0x15d3…6A65, valid until/),
      expect.stringMatching(/QR code[^]*0\.005[^]*to 0x15d3…6A65, valid until/),
    ])
    await sign(page)
    await headline(page, 'Delivered and paid')
    expect((await earned()) - before).toBe(15_000n)
    const ticket = page.getByRole('region', { name: 'Run ticket' })
    await expect.poll(() => ticket.locator('.hole.punched').count()).toBe(2)
    await page.getByRole('img', { name: 'Image from the agent' }).first().waitFor()
    // The token that opens the run also opens its jobs, and is removed from the address as soon as it is read.
    await page.locator('a[href^="/jobs/"][href*="#r="]').first().click()
    await page.waitForURL('**/jobs/*')
    await page.getByText('The moon pulls the sea').first().waitFor()
    await page.waitForURL(({ hash }) => hash === '')
    await page.reload()
    await page.getByText('The moon pulls the sea').first().waitFor()
    await page.getByRole('link', { name: /^run / }).click()
    await headline(page, 'Delivered and paid')
    // The payer's own receipt: it can be saved and checked.
    await page.getByRole('link', { name: 'Receipt' }).first().click()
    await page.getByRole('button', { name: 'Download receipt' }).waitFor()
    await page.getByRole('link', { name: 'Check the signature' }).click()
    await page.getByText('Signed by this platform').waitFor()
    await page.getByRole('link', { name: 'Summary', exact: true }).waitFor()
    await page.goto('/jobs')
    await page.getByRole('link', { name: /^Article card flow, 2 of 2 paid steps done/ }).click()
    await headline(page, 'Delivered and paid')
    // Nothing is requested again.
    await expect.poll(() => page.getByRole('button', { name: /^Pay/ }).count()).toBe(0)
  })

  test('a step that refuses its input ends the run: it names the change to make, and requests nothing', async () => {
    const { flow } = await templateOf('article-card')
    const { inputs, steps, wires } = flow as unknown as {
      readonly inputs: { readonly article: object }
      readonly steps: { readonly [id: string]: { readonly capability?: string; readonly constants?: object } }
      readonly wires: readonly {
        readonly from: object
        readonly to: { readonly step: string; readonly port: string }
      }[]
    }
    const idOf = (capability: string): string =>
      Object.entries(steps).find(([, step]) => step.capability === capability)?.[0] ?? ''
    const [summary, qr] = [idOf('summarize'), idOf('encode')]
    // Twenty long sentences into a code that holds 1,200 characters.
    const path = await share({
      ...flow,
      inputs: { article: inputs.article },
      steps: { ...steps, [summary]: { ...steps[summary], constants: { sentences: 20 } } },
      wires: [
        ...wires.filter(({ to }) => to.step !== qr),
        { from: { step: summary, port: 'summary' }, to: { step: qr, port: 'text' } },
      ],
    })
    const { page } = await scene.come()
    const sentence = (number: number): string =>
      `Sentence ${number} says that ${'the market near the harbour sells fish every morning and '.repeat(2)}closes at noon.`
    const article = Array.from({ length: 24 }, (_, index) => sentence(index)).join(' ')
    const before = await earned()
    await openSheet(page, path, { article })
    await sign(page)
    await headline(page, 'This run cannot continue')
    expect((await earned()) - before).toBe(10_000n)
    await page.getByText(/Give Summary a shorter input or a lower “sentences”/).waitFor()
    for (const name of [/^Pay/, 'Pause', /^Cancel/])
      await expect.poll(() => page.getByRole('button', { name }).count()).toBe(0)
    await page.getByRole('button', { name: 'Change the input and run again' }).click()
    expect(
      await dialog(page)
        .getByRole('textbox', { name: /article/ })
        .inputValue(),
    ).toBe(article)
  })

  test('a step that fails is not charged; resumed, the same payment is sent again and charged once', async () => {
    const path = await share(await stumbling())
    const { page, wallet } = await scene.come({ account: PAYER })
    const before = await earned()
    await openSheet(page, path, { text: `flow ${Date.now()}` })
    await dialog(page)
      .getByRole('button', { name: /^Sign 2 payments/ })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Example Wallet' }).click()
    await page.waitForURL('**/runs/*')
    await headline(page, 'One step was not delivered')
    await page.getByText('Not delivered, not charged').waitFor()
    expect((await earned()) - before).toBe(2_000n)
    // A reloaded page finds the run by this browser's storage.
    await page.reload()
    await headline(page, 'One step was not delivered')
    await page.getByRole('button', { name: 'Pay 0.003 and resume', exact: true }).dblclick()
    await headline(page, 'Delivered and paid')
    expect((await earned()) - before).toBe(5_000n)
    expect(wallet?.asked.filter(method => method === 'eth_signTypedData_v4')).toHaveLength(2)
  })

  test('a price that differs from the flow is reported before anything is signed, and the signed amounts are those shown', async () => {
    const path = await share(await stumbling({ count: '0.009' }))
    const { page, wallet } = await scene.come({ account: PAYER })
    const before = await earned()
    await openSheet(page, path, { text: `cheaper ${Date.now()}` })
    await dialog(page)
      .getByText('Counter now charges 0.002 USDC, but the price was 0.009 when the flow was made.')
      .waitFor()
    expect(wallet?.asked).not.toContain('eth_signTypedData_v4')
    await dialog(page).getByRole('button', { name: 'Sign 2 payments, 0.005 USDC' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Example Wallet' }).click()
    await page.waitForURL('**/runs/*')
    await headline(page, 'One step was not delivered')
    expect((await earned()) - before).toBe(2_000n)
  })

  test('a wallet that declines the second of two signatures: nothing is started, nothing is charged', async () => {
    const path = await share(await stumbling())
    const { page, wallet } = await scene.come({ account: PAYER })
    const before = await earned()
    let signatures = 0
    if (wallet !== undefined)
      wallet.answer = method => {
        if (method !== 'eth_signTypedData_v4') return undefined
        signatures += 1
        if (signatures === 2) throw new WalletError(4_001, 'User rejected the request.')
        return undefined
      }
    await openSheet(page, path, { text: `declined ${Date.now()}` })
    await dialog(page)
      .getByRole('button', { name: /^Sign 2 payments/ })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Example Wallet' }).click()
    await page
      .getByText('You declined the request in Example Wallet. Nothing was sent and nothing was charged.')
      .waitFor()
    expect(await earned()).toBe(before)
    await page.goto('/jobs')
    await page.getByText('No jobs yet').waitFor()
  })

  test('a person is asked, and later steps are signed after that; if the run is cancelled, they never are', async () => {
    const { flow, sample_input: input } = await templateOf('approve-the-summary')
    const path = await share(flow)
    const { page } = await scene.come()
    const before = await earned()
    await openSheet(page, path, input)
    await dialog(page).getByText('signed after approval').waitFor()
    await sign(page)
    await headline(page, 'Your approval is needed')
    expect((await earned()) - before).toBe(10_000n)
    await page.getByRole('button', { name: 'Approve' }).click()
    await headline(page, 'One job is waiting for your payment')
    await page.getByRole('button', { name: 'Cancel the run' }).click()
    const sheet = page.getByRole('dialog', { name: 'Cancel this run?' })
    await sheet.getByText('You have paid 0.01 USDC. The results you paid for will stay here.').waitFor()
    await sheet.getByRole('button', { name: 'Cancel the run' }).click()
    await headline(page, 'Canceled')
    await expect.poll(() => page.getByRole('button', { name: /^Pay/ }).count()).toBe(0)

    await openSheet(page, path, input)
    await sign(page)
    await headline(page, 'Your approval is needed')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('button', { name: 'Pay 0.005 and continue', exact: true }).click()
    await headline(page, 'Delivered and paid')
    expect((await earned()) - before).toBe(25_000n)
  })

  test('the sheet and a stopped run break no rule of WCAG 2.2 A and AA, and are never wider than the window', async () => {
    const path = await share(await stumbling())
    const { page } = await scene.come({ bypassCSP: true })
    await page.goto(path, { waitUntil: 'networkidle' })
    expect(await findViolations(page), 'shared').toEqual([])
    await openSheet(page, path, { text: `rules ${Date.now()}` })
    expect(await findViolations(page), 'sheet').toEqual([])
    await sign(page)
    await headline(page, 'One step was not delivered')
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      expect(
        await page.evaluate('document.documentElement.scrollWidth'),
        `a run at ${width}`,
      ).toBeLessThanOrEqual(width)
      if (width === 390 || width === 1280) expect(await findViolations(page), `run ${width}`).toEqual([])
    }
  })
})
