import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { findChromium } from '@farebox/platform/src/test-setup/browser/browser'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { findViolations } from '../stage/web/find-violations.ts'
import { startSpendingAgents, type SpendingAgents } from '../stage/web/spending-agents.ts'
import { createWebScene } from '../stage/web/web-scene.ts'

const USDC = '0x036cbd53842c5426634e7929541ec2318f3dcf7e'
const SHOP = '0x976ea74026e726554db657fa54763abd0c3a0aa9'
const WIDTHS = [320, 390, 768, 1440]
const HOSTILE = `"><img src=x onerror=window.pwned=1><script>window.pwned=1</script> \u202e{{constructor}}`

const chromium = findChromium()

describe.skipIf(chromium === undefined)('limits that are set in a browser', () => {
  const scene = createWebScene(chromium)
  let agents: SpendingAgents

  beforeAll(async () => {
    agents = await startSpendingAgents(scene.web, HOSTILE)
  })

  const anvil = async (method: string, ...params: readonly unknown[]): Promise<unknown> =>
    await callAnvil(scene.web.stage.chain.rpcUrl, method, [...params])

  async function balanceOf(address: string): Promise<bigint> {
    const data = `0x70a08231${address.slice(2).padStart(64, '0')}`
    return BigInt(String(await anvil('eth_call', { to: USDC, data }, 'latest')))
  }

  async function isAccessible(page: Page): Promise<void> {
    expect(await findViolations(page)).toEqual([])
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      const wide = 'document.documentElement.scrollWidth > window.innerWidth'
      expect([width, await page.evaluate(wide)]).toEqual([width, false])
    }
    await page.setViewportSize({ width: 1280, height: 900 })
  }

  const amount = (page: Page) => page.getByRole('textbox', { name: /^string amount/ })
  const pay = (page: Page) => page.getByRole('button', { name: /^Pay 0\.01 USDC and run/ })
  const open = (page: Page, id = agents.payerId) => page.goto(`/agents/${id}?capability=pay`)

  /** Sets a limit on its page, from the form that requested it. */
  async function setLimit(
    page: Page,
    terms: { readonly each?: string; readonly all?: string },
  ): Promise<void> {
    await page.getByRole('link', { name: 'Set a limit', exact: true }).first().click()
    await page.waitForURL(/\/limits\/new/)
    await typeTerms(page, terms)
    await page.getByRole('button', { name: /^Allow up to/ }).click()
    await page.waitForURL(/\/agents\//)
  }

  async function typeTerms(
    page: Page,
    { each, all }: { readonly each?: string; readonly all?: string },
  ): Promise<void> {
    if (each !== undefined) await page.getByLabel('Each time, up to').fill(each)
    if (all !== undefined) await page.getByLabel('In total, up to').fill(all)
  }

  /** Runs the job of the form, and waits for its result. */
  async function run(page: Page, text: string, outcome: string | RegExp): Promise<void> {
    await amount(page).fill(text)
    await pay(page).click()
    await page.getByText(outcome).first().waitFor()
  }

  test('a capability that moves USDC asks for a limit once, and the job moves what it permits', async () => {
    const { page } = await scene.come()
    await open(page)
    await page.getByText('moves your USDC', { exact: true }).waitFor()
    await amount(page).fill('4.20')
    await page.getByText('This capability moves your USDC. Set a limit first.').waitFor()
    await expect.poll(() => pay(page).count()).toBe(0)
    await isAccessible(page)
    const before = await balanceOf(SHOP)
    await setLimit(page, {})
    // Back at the form, with the previous input.
    await pay(page).waitFor()
    expect(await amount(page).inputValue()).toBe('4.20')
    await page.getByText(/USDC it can spend: up to 5\.00 each time, 50\.00 left/).waitFor()
    await pay(page).click()
    await page.getByText('4.20 USDC was spent for this job').waitFor()
    await page.getByText('Paid', { exact: true }).waitFor()
    expect((await balanceOf(SHOP)) - before).toBe(4_200_000n)

    // More than each time: the agent is refused by the contract, and the job is not charged.
    await page.getByRole('button', { name: /run again/, disabled: false }).waitFor()
    await amount(page).fill('7.50')
    await page.getByRole('button', { name: /^Pay 0\.01 USDC and run/ }).click()
    await page.getByText('This job tried to move more of your tokens than your limit allows.').waitFor()
    await page.getByText('Not charged', { exact: true }).first().waitFor()
    expect((await balanceOf(SHOP)) - before).toBe(4_200_000n)

    await page.goto('/limits')
    await page.getByText('4.20 spent of 50.00 USDC').waitFor()
    await page.getByText('“Pays the invoices that you forward to it.”').waitFor()
    const refused = page.getByRole('row').filter({ hasText: 'refused' })
    await refused.getByText(/^allowance: must be at least 7\.5 USDC/).waitFor()
    await expect
      .poll(() => page.getByRole('row').filter({ hasText: 'spent' }).getByText('4.20').count())
      .toBe(1)
    await page.getByText(/from the jobs in this browser/).waitFor()
    await isAccessible(page)

    // The decrease of the wallet's balance: the price, and the amount that the agent moved.
    await page.goto('/jobs')
    await page.getByText('0.01 for jobs, 4.2 spent by agents').waitFor()
    await page.getByText('4.21 USDC').waitFor()
    await isAccessible(page)
    // The chain does not answer: the figure covers jobs only, and says so.
    await page.route(/\/v1\/limits\/0x[0-9a-fA-F]{40}$/, route => route.fulfill({ status: 503, json: {} }))
    await page.reload()
    await page.getByText('for jobs, confirmed on-chain').waitFor()
  })

  test('a limit is lowered, refuses the next job, and is revoked with one click', async () => {
    const { page } = await scene.come()
    await open(page)
    await setLimit(page, { each: '5', all: '20' })
    await page.goto('/limits')
    await page.getByText('0.00 spent of 20.00 USDC').waitFor()
    await page.getByRole('link', { name: /^Change/ }).click()
    await page.getByRole('heading', { name: 'Change a limit' }).waitFor()
    await expect.poll(() => page.getByLabel('In total, up to').inputValue()).toBe('20.00')
    await isAccessible(page)
    await typeTerms(page, { each: '1.00', all: '3' })
    await page.getByText(/the limits and an approval for exactly 3\.00 USDC \(currently 20\.00\)/).waitFor()
    await page.getByRole('button', { name: 'Allow up to 3.00 USDC' }).click()
    await page.waitForURL(/\/limits$/)
    await page.getByText('0.00 spent of 3.00 USDC').waitFor()
    await open(page)
    await run(page, '2', 'This job tried to move more of your tokens than your limit allows.')

    await page.goto('/limits')
    await page.getByRole('button', { name: /^Revoke now/ }).click()
    await page.getByText('No active permissions').waitFor()
    await page.getByText(/^revoked/).waitFor()
    await page
      .getByRole('region', { name: 'Approval for your limits' })
      .getByText('0.00 USDC')
      .first()
      .waitFor()
    await open(page)
    await page.getByText('This capability moves your USDC. Set a limit first.').waitFor()
    await page
      .getByText(/the limit was revoked/)
      .first()
      .waitFor()
    // Without a limit it can still be run, and moves nothing.
    await page.getByRole('button', { name: 'Run without a limit' }).click()
    await run(page, '0.5', 'This job tried to move more of your tokens than your limit allows.')
  })

  test.each([
    ['Each time, up to', '25.00', 'must be lower than 25.00'],
    ['Each time, up to', '0', 'must be more than zero'],
    ['Each time, up to', '-1', 'must be a decimal'],
    ['Each time, up to', '1.0000001', 'must have at most 6 decimals'],
    ['In total, up to', '4.99', 'must be at least 5.00'],
  ])('PERM-01 %s of %s is refused at its field, and nothing is sent', async (label, text, reason) => {
    const { page } = await scene.come()
    const sent: string[] = []
    page.on('request', request => {
      if (/sendRawTransaction/.test(request.postData() ?? '')) sent.push(request.url())
    })
    await page.goto(`/limits/new?agent=${agents.payerId}&capability=pay`)
    await page.getByRole('button', { name: 'Allow up to 50.00 USDC' }).waitFor()
    await page.getByLabel(label).fill(text)
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: reason }).waitFor()
    expect(await page.getByLabel(label).getAttribute('aria-invalid')).toBe('true')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('INPUT')
    expect(sent).toEqual([])
  })

  test('an agent that names no account cannot be permitted, and its reason is shown as text', async () => {
    const { page } = await scene.come()
    await page.goto(`/limits/new?agent=${agents.hostileId}&capability=pay`)
    await page.getByText('The agent has not specified a spending account.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: /^Allow/ }).count()).toBe(0)
    await expect
      .poll(() => page.locator('bdi').filter({ hasText: '<script>window.pwned=1</script>' }).count())
      .toBe(2)
    expect(await page.evaluate('window.pwned')).toBeUndefined()
    await isAccessible(page)
    await open(page, agents.hostileId)
    await page.getByText('This capability moves your USDC. Set a limit first.').waitFor()
    expect(await page.evaluate('window.pwned')).toBeUndefined()
  })

  test('PERM-06 a capability that declares no spending shows no limits', async () => {
    const { page } = await scene.come()
    await page.goto(`/agents/${agents.payerId}?capability=read`)
    await page.getByRole('button', { name: /^Pay 0\.002 USDC and run/ }).waitFor()
    expect(
      await page
        .locator('#run')
        .getByText(/limit|moves your/i)
        .count(),
    ).toBe(0)
    const answer = await page.goto(`/limits/new?agent=${agents.payerId}&capability=read`)
    expect(answer?.status()).toBe(404)
  })

  test('without the contract on the chain no limits are shown', async () => {
    const code = await anvil('eth_getCode', SPEND_PERMISSIONS_ADDRESS, 'latest')
    try {
      await anvil('anvil_setCode', SPEND_PERMISSIONS_ADDRESS, '0x')
      await scene.web.restartPlatform()
      const { page } = await scene.come()
      await open(page)
      await pay(page).waitFor()
      expect(
        await page
          .locator('main')
          .getByText(/moves your USDC|set a limit/i)
          .count(),
      ).toBe(0)
      expect((await page.goto('/limits'))?.status()).toBe(404)
      await expect.poll(() => page.getByRole('link', { name: /spend limits/ }).count()).toBe(0)
    } finally {
      await anvil('anvil_setCode', SPEND_PERMISSIONS_ADDRESS, code)
      await scene.web.restartPlatform()
    }
  })
})
