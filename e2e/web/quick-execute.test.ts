import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { findChromium } from '@farebox/platform/src/test-setup/browser/browser'
import { WalletError } from '@farebox/platform/src/test-setup/browser/browser-wallet'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { createWebScene } from '../stage/web/web-scene.ts'

const PAYER = TEST_KEYS.payer.address

/** Presses the button at the moment in which it offers another run, as the second press of a double click may. */
const PRESS_AGAIN_AT_ONCE = `new MutationObserver((_, observer) => {
  const again = document.querySelector('.pay button[type=submit]')
  if (!again?.textContent.includes('run again')) return
  observer.disconnect()
  again.click()
  again.form.requestSubmit()
}).observe(document.body, { childList: true, subtree: true, characterData: true })`

const chromium = findChromium()

describe.skipIf(chromium === undefined)('a job ordered in a browser', () => {
  const scene = createWebScene(chromium)

  const payButton = (page: Page) => page.getByRole('button', { name: /^Pay .* and run/ })

  async function balanceOf(address: string): Promise<string> {
    const answer = await fetch(`${scene.web.url}/v1/wallets/${address}/balance`)
    return ((await answer.json()) as { readonly usdc: string }).usdc
  }

  async function earned(): Promise<bigint> {
    const data = `0x70a08231${TEST_KEYS.agent.address.slice(2).toLowerCase().padStart(64, '0')}`
    const to = '0x036cbd53842c5426634e7929541ec2318f3dcf7e'
    return BigInt(String(await callAnvil(scene.web.stage.chain.rpcUrl, 'eth_call', [{ to, data }, 'latest'])))
  }

  test('without a wallet: from the home page to a result, a receipt that checks, and a job that opens again', async () => {
    const { page } = await scene.come()
    const before = await earned()
    await page.goto('/')
    await page.getByRole('searchbox').fill('teller')
    await page.getByRole('heading', { name: 'Teller' }).getByRole('link').click()
    await page.getByRole('textbox', { name: /^string text/ }).fill('exact fare per ride')
    await page.getByRole('button', { name: 'Pay 0.002 USDC and run' }).click()
    await page.getByText('Paid', { exact: true }).waitFor()
    await expect.poll(() => page.getByRole('definition').filter({ hasText: /^4$/ }).count()).toBe(1)
    expect((await earned()) - before).toBe(2_000n)
    await page.getByRole('link', { name: 'Check the signature' }).click()
    await page.getByText('Signed by this platform').waitFor()
    await page.waitForURL(`${scene.web.url}/receipts`)
    await page.goto('/jobs')
    await page.getByRole('link', { name: /Teller count/ }).click()
    await page.getByText('exact fare per ride').waitFor()
    expect(new URL(page.url()).hash).toBe('')
    await page.getByText('Paid', { exact: true }).waitFor()
    await page.reload()
    await page.getByText('Paid', { exact: true }).waitFor()
  })

  test('with a wallet: it signs exactly the order that the page shows', async () => {
    const { page, wallet } = await scene.come({ account: PAYER })
    const signed: unknown[] = []
    if (wallet !== undefined)
      wallet.answer = (method, params) => {
        if (method === 'eth_signTypedData_v4') signed.push(JSON.parse(String(params[1])))
        return undefined
      }
    await page.goto(`/agents/${scene.web.agentId}`)
    await page.getByRole('textbox', { name: /^string text/ }).fill('one two')
    await payButton(page).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Example Wallet' }).click()
    await page.getByText('Paid', { exact: true }).waitFor()
    expect(signed).toMatchObject([
      {
        primaryType: 'TransferWithAuthorization',
        message: { value: '2000', to: TEST_KEYS.agent.address.toLowerCase(), from: PAYER.toLowerCase() },
      },
    ])
  })

  test('D21 an input that is refused is refused at its field, in the agent’s words; nothing is signed', async () => {
    const { page, wallet } = await scene.come({ account: PAYER })
    await page.goto(`/agents/${scene.web.agentId}`)
    await page.getByRole('textbox', { name: /^string text/ }).fill('x'.repeat(41))
    await payButton(page).click()
    await page.getByText('text: must be at most 40 characters, got 41').waitFor()
    expect(await page.evaluate('document.activeElement.tagName')).toMatch(/INPUT|TEXTAREA/)
    expect(wallet?.asked).not.toContain('eth_signTypedData_v4')
    expect(await page.getByRole('textbox', { name: /^string text/ }).inputValue()).toBe('x'.repeat(41))
  })

  test('a declined signature sends nothing, and the form stays', async () => {
    const { page, wallet } = await scene.come({ account: PAYER })
    if (wallet !== undefined)
      wallet.answer = method => {
        if (method === 'eth_signTypedData_v4') throw new WalletError(4_001, 'User rejected the request.')
        return undefined
      }
    await page.goto(`/agents/${scene.web.agentId}`)
    await page.getByRole('textbox', { name: /^string text/ }).fill('declined')
    await payButton(page).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Example Wallet' }).click()
    await page
      .getByText('You declined the request in Example Wallet. Nothing was sent and nothing was charged.')
      .waitFor()
    expect(await page.getByRole('textbox', { name: /^string text/ }).inputValue()).toBe('declined')
    await page.goto('/jobs')
    await page.getByText('No jobs yet').waitFor()
  })

  test('a wallet on another network is asked to switch; if it does not, nothing is signed', async () => {
    const { page, wallet } = await scene.come({ account: PAYER })
    if (wallet !== undefined)
      wallet.answer = method => {
        if (method === 'eth_chainId') return '0x1'
        if (method === 'wallet_switchEthereumChain')
          throw new WalletError(4_001, 'User rejected the request.')
        return undefined
      }
    await page.goto(`/agents/${scene.web.agentId}`)
    await page.getByRole('textbox', { name: /^string text/ }).fill('elsewhere')
    await payButton(page).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Example Wallet' }).click()
    await page.getByText(/^You declined the request in Example Wallet/).waitFor()
    expect(wallet?.asked).toContain('wallet_switchEthereumChain')
    expect(wallet?.asked).not.toContain('eth_signTypedData_v4')
  })

  test('a wallet with too little says what is missing before anything is signed', async () => {
    const poor = TEST_KEYS.agent.address
    const has = await balanceOf(poor)
    const { page, wallet } = await scene.come({ account: '0x14dc79964da2c08b23698b3d3cc7ca32193d9955' })
    await page.goto(`/agents/${scene.web.agentId}`)
    await page.getByRole('textbox', { name: /^string text/ }).fill('poor')
    await payButton(page).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Example Wallet' }).click()
    await page.getByText(/has 0 USDC, but 0\.002 is required/).waitFor()
    expect(wallet?.asked).not.toContain('eth_signTypedData_v4')
    expect(await balanceOf(poor)).toBe(has)

    // On a local chain the next step is offered; the page's wallet data is updated after the payment.
    await page.getByRole('button', { name: 'Get test USDC' }).click()
    await page.getByText(/has 0 USDC/).waitFor({ state: 'detached' })
    await payButton(page).click()
    await page.getByText('Paid', { exact: true }).waitFor()
    await page.getByRole('button', { name: '999.998 USDC' }).waitFor()
  })

  test('another wallet can be chosen at once, and the previous wallet’s problem disappears', async () => {
    const { page } = await scene.come({ account: '0x976ea74026e726554db657fa54763abd0c3a0aa9' })
    await page.goto(`/agents/${scene.web.agentId}`)
    await page.getByRole('textbox', { name: /^string text/ }).fill('another')
    await payButton(page).click()
    const choice = page.getByRole('dialog', { name: 'Choose a wallet' })
    await choice.getByRole('button', { name: 'Example Wallet' }).click()
    await page.getByText(/has 0 USDC/).waitFor()
    await page.getByRole('button', { name: /^0 USDC/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Use another wallet' }).click()
    await choice.getByRole('button', { name: 'Test wallet' }).click()
    await page.getByText(/has 0 USDC/).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /1,000 USDC/ }).waitFor()
  })

  test('the figures of an agent are updated after a job that was paid on its page', async () => {
    const { page } = await scene.come()
    await page.goto(`/agents/${scene.web.agentId}`)
    const count = page.locator('.facts div', { hasText: 'Jobs paid for by others' }).locator('dd')
    const before = Number(await count.innerText())
    await page.getByRole('textbox', { name: /^string text/ }).fill('counted')
    await payButton(page).click()
    await page.getByText('Paid', { exact: true }).waitFor()
    await expect.poll(async () => Number(await count.innerText())).toBeGreaterThan(before)
  })

  test('a failed job is not charged; a retry is the same job with the same payment, charged once', async () => {
    const { page, wallet } = await scene.come({ account: PAYER })
    const before = await earned()
    await page.goto(`/agents/${scene.web.agentId}?capability=stumble`)
    await page.getByRole('textbox', { name: /^string text/ }).fill(`stumble ${Date.now()}`)
    await page.getByRole('button', { name: 'Pay 0.003 USDC and run' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Example Wallet' }).click()
    await page.getByText('Not charged', { exact: true }).waitFor()
    expect(await earned()).toBe(before)
    await page.getByRole('button', { name: 'Try again, 0.003 USDC' }).dblclick()
    await page.getByText('Paid', { exact: true }).waitFor()
    expect(wallet?.asked.filter(method => method === 'eth_signTypedData_v4')).toHaveLength(1)
    expect((await earned()) - before).toBe(3_000n)
  })

  test('the second press of a slow double click orders nothing; later, Run again has the input', async () => {
    const { page } = await scene.come()
    const before = await earned()
    await page.goto(`/agents/${scene.web.agentId}`)
    await page.getByRole('textbox', { name: /^string text/ }).fill('twice in a row')
    const button = page.getByRole('button', { name: /^Pay 0\.002 USDC and run/ })
    await page.evaluate(PRESS_AGAIN_AT_ONCE)
    await button.click()
    await page.getByText('Paid', { exact: true }).waitFor()
    // A second order would be in progress or paid by the time at which the button can be pressed again.
    await page.getByRole('button', { name: /run again/, disabled: false }).waitFor()
    expect((await earned()) - before).toBe(2_000n)
    await page.getByRole('link', { name: 'Open the job' }).click()
    await page.getByRole('link', { name: 'Run again' }).click()
    await expect
      .poll(() => page.getByRole('textbox', { name: /^string text/ }).inputValue())
      .toBe('twice in a row')
    await button.click()
    await page.getByText('Paid', { exact: true }).waitFor()
    expect((await earned()) - before).toBe(4_000n)
  })

  test('a page that is reloaded while its job runs finds the job again, and pays once', async () => {
    const { page } = await scene.come()
    const before = await earned()
    const endJob = await scene.web.holdJobs()
    await page.goto(`/agents/${scene.web.agentId}?capability=wait`)
    await page.getByRole('textbox', { name: /^integer ms/ }).fill('0')
    await page.getByRole('button', { name: 'Pay 0.004 USDC and run' }).click()
    await page.getByText('Teller has 5 min 0 s to respond.').waitFor()
    // Its address does not name the job: the browser has just ordered it.
    await page.reload()
    await page.getByText('Teller has 5 min 0 s to respond.').waitFor()
    expect(await page.getByRole('textbox', { name: /^integer ms/ }).inputValue()).toBe('0')
    await page.goto('/jobs')
    await page.getByText('running').waitFor()
    const second = await page.context().newPage()
    await second.goto('/jobs')
    await second.getByText('running').waitFor()
    await endJob()
    await page.getByText('paid', { exact: true }).waitFor()
    await second.getByText('paid', { exact: true }).waitFor()
    expect((await earned()) - before).toBe(4_000n)
  })

  test('a platform that is killed and restarted in mid-job loses nothing', async () => {
    const { page } = await scene.come()
    const before = await earned()
    const endJob = await scene.web.holdJobs()
    await page.goto(`/agents/${scene.web.agentId}?capability=wait`)
    await page.getByRole('textbox', { name: /^integer ms/ }).fill('0')
    await page.getByRole('button', { name: 'Pay 0.004 USDC and run' }).click()
    await page.getByText('Teller has 5 min 0 s to respond.').waitFor()
    await scene.web.restartPlatform()
    await endJob()
    await page.getByText('Paid', { exact: true }).waitFor()
    expect((await earned()) - before).toBe(4_000n)
  })

  test('an offline agent has a page, but cannot be paid', async () => {
    await scene.web.killAgent()
    const { page } = await scene.come()
    await expect
      .poll(async () => {
        await page.goto(`/agents/${scene.web.agentId}`)
        return await page.getByText(/^This agent is offline\. The last \d+ checks failed/).count()
      })
      .toBe(1)
    expect(await page.getByRole('button', { name: 'Payment unavailable' }).isDisabled()).toBe(true)
    await page.goto('/?q=teller')
    await page.getByText('No agents match').waitFor()
  })
})
