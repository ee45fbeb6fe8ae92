import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { permissionStage, type PermissionStage } from '@farebox/local/src/testing/permission-stage'
import type { WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import { findChromium } from '@farebox/platform/src/test-setup/browser/browser'
import { WalletError, type BrowserWallet } from '@farebox/platform/src/test-setup/browser/browser-wallet'
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findViolations } from '../stage/web/find-violations.ts'
import { startSpendingAgents, type SpendingAgents } from '../stage/web/spending-agents.ts'
import { createWebScene } from '../stage/web/web-scene.ts'

const PAYER = TEST_KEYS.payer.address
const UNLIMITED = 2n ** 256n - 1n

const chromium = findChromium()

describe.skipIf(chromium === undefined)('limits that a wallet signs', () => {
  const scene = createWebScene(chromium)
  let agents: SpendingAgents
  let permissions: PermissionStage

  beforeAll(async () => {
    agents = await startSpendingAgents(scene.web, 'Pays the shop.')
    permissions = permissionStage(scene.web.stage.chain)
  })

  beforeEach(() => permissions.approve(PAYER, 0n))
  afterEach(() => permissions.token(PAYER, 'approve', [TEST_KEYS.stranger.address, 0n]))

  interface Opened {
    readonly page: Page
    readonly wallet: BrowserWallet
    /** The requests that it was asked to sign. */
    readonly signed: { readonly primaryType: string; readonly message: { readonly [name: string]: string } }[]
  }

  /** A visitor whose wallet is exposed to this page. */
  async function come(path: string): Promise<Opened> {
    const { page, wallet } = await scene.come({ account: PAYER })
    if (wallet === undefined) throw new Error('there is no wallet')
    const signed: Opened['signed'] = []
    wallet.answer = (method, params) => {
      if (method === 'eth_signTypedData_v4') signed.push(JSON.parse(String(params[1])) as (typeof signed)[0])
      return undefined
    }
    await page.goto(path)
    await page.getByRole('button', { name: 'Connect a wallet' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Example Wallet' }).click()
    // A page that is left earlier loses it.
    await page.getByRole('button', { name: /USDC Example Wallet/ }).waitFor()
    return { page, wallet, signed }
  }

  const newLimit = () => `/limits/new?agent=${agents.payerId}&capability=pay&back=/limits`
  const prompts = ({ asked }: BrowserWallet) =>
    asked.filter(method => method === 'eth_signTypedData_v4' || method === 'eth_sendTransaction')
  const allow = (page: Page) => page.getByRole('button', { name: /^Allow up to/ })

  async function approvals(): Promise<readonly bigint[]> {
    return [await permissions.allowanceOf(PAYER), await permissions.totalLeft(PAYER)]
  }

  /** Like a token that accepts no signed approvals. */
  async function withoutPermits(page: Page): Promise<void> {
    await page.route(/\/v1\/limits\/0x[0-9a-f]{40}$/, async route => {
      const answer = await route.fetch()
      const limits = (await answer.json()) as WalletLimits
      await route.fulfill({ json: { ...limits, permit: null } })
    })
  }

  test('PERM-04 one signature for the exact approval, and one transaction', async () => {
    const { page, wallet, signed } = await come(newLimit())
    await page
      .getByText('Your wallet will ask you twice: first to sign the approval', { exact: false })
      .waitFor()
    await page.getByLabel('In total, up to').fill('12')
    await page.getByText(/the limits and an approval for exactly 12\.00 USDC/).waitFor()
    expect(await findViolations(page)).toEqual([])
    await allow(page).click()
    await page.waitForURL(/\/limits$/)
    await page.getByText('0.00 spent of 12.00 USDC').waitFor()
    expect(prompts(wallet)).toEqual(['eth_signTypedData_v4', 'eth_sendTransaction'])
    const [permit] = signed
    expect(permit?.primaryType).toBe('Permit')
    expect(permit?.message).toMatchObject({ value: '12000000', spender: SPEND_PERMISSIONS_ADDRESS })
    expect(await approvals()).toEqual([12_000_000n, 12_000_000n])

    await page.getByRole('button', { name: /^Revoke now/ }).click()
    await page.getByText('No active permissions').waitFor()
    expect(await approvals()).toEqual([0n, 0n])
  })

  test('a request declined in the wallet sends nothing, and the page says so', async () => {
    const { page, wallet } = await come(newLimit())
    wallet.answer = method => {
      if (method === 'eth_signTypedData_v4') throw new WalletError(4_001, 'User rejected the request.')
      return undefined
    }
    await allow(page).click()
    await page.getByText('You declined the request in Example Wallet. Nothing was sent.').waitFor()
    expect(await findViolations(page)).toEqual([])
    expect(await approvals()).toEqual([0n, 0n])
  })

  test('a reader who leaves between two transactions is shown the missing one, and can continue', async () => {
    const { page, wallet } = await come('/limits')
    await withoutPermits(page)
    let sends = 0
    wallet.answer = method => {
      if (method !== 'eth_sendTransaction') return undefined
      sends += 1
      if (sends === 2) throw new WalletError(4_001, 'User rejected the request.')
      return undefined
    }
    await page.goto(newLimit())
    await page
      .getByText(
        'Your wallet will ask you twice: first to confirm the approval, then to confirm the limits.',
        {
          exact: false,
        },
      )
      .waitFor()
    await allow(page).click()
    await page.getByText('The approval is already in place, but the limits are not set yet.').waitFor()
    // No account can spend an approval without a limit.
    expect(await approvals()).toEqual([50_000_000n, 0n])
    await page.goto('/limits')
    await page
      .getByText('The approval is higher than the 0.00 left in your limits.', { exact: false })
      .waitFor()
    await page.goto(newLimit())
    await page
      .getByText('Your wallet will ask you to confirm the transaction that sets the limits.', {
        exact: false,
      })
      .waitFor()
    await allow(page).click()
    await page.waitForURL(/\/limits$/)
    await page.getByText('0.00 spent of 50.00 USDC').waitFor()
    expect(await approvals()).toEqual([50_000_000n, 50_000_000n])

    // Without permits a revocation is two transactions: first the limit, then the approval.
    await page.getByRole('button', { name: /^Revoke now/ }).click()
    await page.getByText('No active permissions').waitFor()
    await expect.poll(approvals).toEqual([0n, 0n])
  })

  test('PERM-04 a platform that reports more than the chain is not trusted: nothing is signed', async () => {
    const { page, wallet } = await come('/limits')
    await page.route(/\/v1\/limits\/0x[0-9a-f]{40}$/, async route => {
      const limits = (await (await route.fetch()).json()) as WalletLimits
      await route.fulfill({ json: { ...limits, total_left: '900000000' } })
    })
    await page.goto(newLimit())
    await page.getByText(/the limits and an approval for exactly 950\.00 USDC/).waitFor()
    await allow(page).click()
    await page.getByText('What is recorded on-chain does not match this page', { exact: false }).waitFor()
    expect(prompts(wallet)).toEqual([])
    expect(await approvals()).toEqual([0n, 0n])
  })

  test('PERM-05 a spender longer than an address is refused in the field', async () => {
    const { page, wallet } = await come('/limits')
    const injected = `0x${PAYER.slice(2).padStart(64, '0')}${'f'.repeat(64)}`
    await page.route(/\/v1\/agents\/\d+\/spender$/, route =>
      route.fulfill({ json: { agent_id: agents.payerId, spender: injected } }),
    )
    await page.goto(newLimit())
    await page.getByText('The platform sent an invalid response', { exact: false }).waitFor()
    expect(await findViolations(page)).toEqual([])
    expect(prompts(wallet)).toEqual([])
  })

  test('an approval that differs from the remaining amount is made exact', async () => {
    await permissions.approve(PAYER, 7_000_000n)
    const { page } = await come('/limits')
    await page.getByRole('button', { name: 'Set the exact amount' }).click()
    await page.getByText('Done. The transaction is confirmed.').waitFor()
    expect(await approvals()).toEqual([0n, 0n])
  })

  test('another spender’s unlimited approval is found, and set to zero', async () => {
    const stranger = TEST_KEYS.stranger.address
    await permissions.token(PAYER, 'approve', [stranger, UNLIMITED])
    const { page, wallet } = await come('/limits')
    await page.getByText('Found an unlimited USDC approval', { exact: false }).waitFor()
    await page.getByText('This approval is not part of your limits.', { exact: false }).waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Set it to zero' }).click()
    await page.getByText('is now zero.', { exact: false }).waitFor()
    expect(prompts(wallet)).toEqual(['eth_sendTransaction'])
    expect(await permissions.tokenView('allowance', [PAYER, stranger])).toBe(0n)
    await page.getByText('Found an unlimited USDC approval', { exact: false }).waitFor({ state: 'detached' })
  })
})
