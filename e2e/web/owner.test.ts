import { createApp } from '@farebox/platform/src/app/create-app'
import { platformRoutes } from '@farebox/platform/src/create-platform'
import type { PlatformParts } from '@farebox/platform/src/platform-parts'
import { createFacilitatorAdmin } from '@farebox/platform/src/owners/settlements/facilitator-admin'
import { findChromium, startBrowser } from '@farebox/platform/src/test-setup/browser/browser'
import {
  installWallet,
  WalletError,
  type BrowserWallet,
} from '@farebox/platform/src/test-setup/browser/browser-wallet'
import {
  serveSecrets,
  type SecretsFacilitator,
} from '@farebox/platform/src/test-setup/network/facilitator-for-secrets'
import { indexAgent } from '@farebox/platform/src/listing/index-agent'
import { insertAgent } from '@farebox/platform/src/test-setup/database/insert-agent'
import { insertJob } from '@farebox/platform/src/test-setup/database/insert-job'
import { makeWallet, type TestWallet } from '@farebox/platform/src/test-setup/sign-in'
import { stagePlatform, type Stage } from '@farebox/platform/src/test-setup/stage-platform'
import { createPages } from '@farebox/web/create-pages'
import type { FastifyInstance } from 'fastify'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../stage/free-port.ts'
import { findViolations } from '../stage/web/find-violations.ts'
import { watchPage } from '../stage/web/visitor.ts'

const HTML = { accept: 'text/html' }
const HASH = `0x${'ab'.repeat(32)}`
const CHAIN_ID = '0x14a34'
/** An address at which nothing listens: the wallet of these tests answers by itself. */
const NO_NODE = { rpcUrl: 'http://127.0.0.1:1' }

let stage: Stage
let facilitator: SecretsFacilitator
let app: FastifyInstance
let origin: string
let owner: TestWallet
let agentId: number

beforeAll(async () => {
  stage = await stagePlatform({ realTime: true })
  const { crypto, clock } = stage.parts
  facilitator = await serveSecrets({ crypto, clock })
  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  const settings = { ...stage.parts.settings, publicUrl, localMode: false, facilitator }
  const parts: PlatformParts = { ...stage.parts, settings }
  // The build of the pages: npm run build -w @farebox/web.
  app = createApp(parts, platformRoutes(parts), { pages: createPages({ publicUrl, localMode: false }) })
  origin = await app.listen({ host: '127.0.0.1', port })
})

afterAll(async () => {
  await app.close()
  await facilitator.close()
  await stage.close()
})

beforeEach(async () => {
  owner = makeWallet(stage.parts.crypto)
  ;({ agentId } = await insertAgent(stage.database, { owner: owner.address }))
})

test.each(['/owner', '/owner/agents/1', '/owner/agents/1/jobs', '/owner/secrets', '/owner/settings'])(
  '%s offers to sign in to signed-out visitors, is not stored by the browser, and is excluded from search engines',
  async url => {
    const { body, headers, statusCode } = await app.inject({ url, headers: HTML })
    expect(statusCode).toBe(200)
    expect(headers['cache-control']).toBe('private, no-store')
    expect(body).toContain('<meta name="robots" content="noindex">')
    expect(body).toContain('Sign in')
    expect(body).not.toMatch(/ (?:on\w+|style)=/)
  },
)

const chromium = findChromium()
describe.skipIf(chromium === undefined)('the owner’s pages in a browser', () => {
  let browser: Browser
  let context: BrowserContext
  let wallet: BrowserWallet
  let page: Page
  let troubles: string[]

  beforeAll(async () => {
    browser = await startBrowser(chromium ?? '')
  })

  afterAll(() => browser.close())

  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' })
    context.setDefaultTimeout(0)
    wallet = await installWallet(context, NO_NODE, { name: 'Fox & Sons', account: owner.address })
    wallet.answer = answer
    troubles = []
    page = await context.newPage()
    watchPage(page, origin, troubles)
  })

  afterEach(async () => {
    await context.close()
    expect(troubles).toEqual([])
  })

  function answer(method: string, params: readonly unknown[]): unknown {
    if (method === 'eth_accounts') return wallet.accounts
    if (method === 'eth_chainId') return CHAIN_ID
    if (method === 'personal_sign')
      return owner.personalSign(Buffer.from(String(params[0]).slice(2), 'hex').toString())
    return undefined
  }

  const button = (name: string) => page.getByRole('button', { name, exact: true }).filter({ visible: true })
  const inSheet = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })

  async function openSheet(path: string): Promise<void> {
    await page.goto(origin + path)
    await button('Sign in').click()
    await inSheet('Choose a wallet').click()
    // Its agent id and endpoint are shown with its name, because it cannot choose them as freely.
    await page.getByRole('dialog').getByRole('button', { name: 'Fox & Sons' }).click()
    await page.getByText('wants you to sign in with your Ethereum account').waitFor()
  }

  async function signIn(path: string): Promise<void> {
    await openSheet(path)
    await inSheet('Sign in').click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }

  /** WCAG A and AA, by axe, and no element wider than the window. */
  async function isAccessible(): Promise<void> {
    expect(await findViolations(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
  }

  test('a reader who declines to sign is not signed in, and can sign later', async () => {
    await openSheet('/owner')
    wallet.answer = method => {
      if (method === 'personal_sign') throw new WalletError(4_001, 'no')
      return undefined
    }
    await isAccessible()
    await inSheet('Sign in').click()
    await page.getByText('You declined the request in Fox & Sons. You are not signed in.').waitFor()
    wallet.answer = answer
    await inSheet('Sign in').click()
    await page.getByText('Signed in as').waitFor()
  })

  test('an owner sees what an agent earned, finds a job by its id, and signs out', async () => {
    const jobId = await insertJob(stage.parts, { agentId, elapsedMs: 700 })
    await insertJob(stage.parts, { agentId, state: 'failed', errorType: 'internal' })
    await signIn('/owner')
    await page.getByText('of 2 ordered').waitFor()
    expect(await page.locator('.figures').innerText()).toContain('0.01 USDC')
    await isAccessible()
    await page.getByLabel('Find a job by its ID', { exact: true }).locator('visible=true').last().fill(jobId)
    await button('Find').click()
    const sought = page.getByRole('region', { name: 'Job found' })
    expect(await sought.innerText()).toContain('paid')
    await button('Sign out').click()
    await button('Sign in').waitFor()
    expect(await page.locator('main').innerText()).not.toContain('Word counter')
  })

  test('the category that an owner chooses is the one in which the agent is found', async () => {
    await stage.database.inTransaction(client => indexAgent(client, agentId))
    await signIn(`/owner/agents/${agentId}`)
    const choice = page.getByRole('combobox', { name: 'Category' })
    await choice.selectOption('Data and analysis')
    await page.getByText('Saved.').waitFor()
    await isAccessible()
    await page.goto(`${origin}/?category=code`)
    await page.getByText('No agents match these filters.').waitFor()
    await page.getByRole('combobox', { name: 'Category' }).selectOption('Data and analysis')
    await page.getByRole('link', { name: 'Word counter' }).click()
    await page.getByRole('link', { name: 'Data and analysis' }).waitFor()
  })

  test('a category that the platform refuses is not shown as chosen', async () => {
    await signIn(`/owner/agents/${agentId}`)
    const json = { status: 'failed', error_type: 'unavailable', error: 'come back later' }
    await page.route('**/category', route => route.fulfill({ status: 503, json }))
    const choice = page.getByRole('combobox', { name: 'Category' })
    await choice.selectOption('Blockchain')
    await page.getByText('Not saved. come back later').waitFor()
    expect(await choice.inputValue()).toBe('')
    troubles = troubles.filter(trouble => !trouble.includes('503'))
  })

  test('on a phone the chart shows the chosen days, and scrollable parts are marked', async () => {
    await insertJob(stage.parts, { agentId, elapsedMs: 700 })
    await signIn('/owner')
    for (const [days, width] of [
      [7, 390],
      [14, 390],
      [30, 390],
      [30, 320],
    ] as const) {
      await page.setViewportSize({ width, height: 844 })
      await page.goto(`${origin}/owner?days=${days}`)
      const plot = page.locator('.plot').filter({ visible: true })
      const rows = await page.locator('section table tbody').first().locator('tr').count()
      expect(rows).toBeGreaterThanOrEqual(days)
      expect(await plot.getAttribute('aria-label')).toContain(`for ${rows} days`)
      const named = await plot.locator('.plot-bars text').all()
      const boxes = await Promise.all(named.map(text => text.boundingBox()))
      boxes.slice(1).forEach((box, index) => {
        const before = boxes[index]
        expect((box?.x ?? 0) - (before?.x ?? 0) - (before?.width ?? 0)).toBeGreaterThan(2)
      })
      await isAccessible()
    }
    const attached = `getComputedStyle(document.querySelector('.scroll')).backgroundAttachment`
    expect(await page.evaluate(attached)).toBe('local, local, scroll, scroll')
  })

  test('the uptime of an agent registered today starts today, not before', async () => {
    await stage.database.query(
      'test-health',
      `insert into agent_health (agent_id, watched_since, failures, due_at, checked_at, last_ok_at, hour, hour_ok, day_ok)
       values ($1, now() - interval '2 hours', 0, now(), now(), now(), date_trunc('hour', now()), 9, 9)
       on conflict (agent_id) do update set watched_since = excluded.watched_since, day_ok = excluded.day_ok`,
      [agentId],
    )
    await stage.database.query(
      'test-badge',
      `insert into agent_badges (agent_id, due_at, computed_at, inputs) values ($1, 'infinity', now(), $2)`,
      [
        agentId,
        { aboutPasses: true, healthPasses: true, paidJobs: 0, failedJobs: 0, payers: 0, leftOutJobs: 0 },
      ],
    )
    await page.goto(`${origin}/agents/${agentId}`)
    expect(await page.locator('.facts').innerText()).toMatch(/Uptime\s+100% since \d\d:\d\d/)
    expect(await page.locator('.rules').innerText()).toMatch(
      /Uptime, 7 days\s+100% so far\s+needs 90% over 7 days/,
    )
    await signIn(`/owner/agents/${agentId}`)
    const told = await page.locator('#health').innerText()
    expect(told).toMatch(/100% since \d\d:\d\d/)
    expect(told).not.toContain('over 7 days')
    // Monitored for longer, and with too few checks for a badge: no value is pending.
    await stage.database.query(
      'test-watched-long',
      `update agent_health set watched_since = now() - interval '40 days' where agent_id = $1`,
      [agentId],
    )
    await page.goto(`${origin}/agents/${agentId}`)
    expect(await page.locator('.facts').innerText()).toMatch(/Uptime, 30 days\s+100%/)
    expect(await page.locator('.rules').innerText()).toMatch(/Uptime, 7 days\s+not known yet\s+needs 90%\s/)
  })

  test('the headings of the secrets are on one line', async () => {
    await page.setViewportSize({ width: 1280, height: 900 })
    await signIn('/owner/secrets')
    await page.getByRole('heading', { name: 'Settled today' }).waitFor()
    const headings = await page.locator('.main-and-side .heading').all()
    const boxes = await Promise.all(headings.map(heading => heading.boundingBox()))
    expect(boxes.length).toBe(2)
    expect(boxes.map(box => [box?.y, box?.height])).toEqual(boxes.map(() => [boxes[0]?.y, boxes[0]?.height]))
  })

  test('D41 an owner sees how much of today’s settlements is used, how the limit is computed, and how to raise it', async () => {
    await insertAgent(stage.database, { owner: owner.address, badge: 'bronze', isOffline: true })
    const owners = [{ owner: owner.address, dailySettlements: 5 }]
    await createFacilitatorAdmin(facilitator).sponsor(owners, 'listed')
    await facilitator.hold(owner.address, 4)
    await signIn('/owner/secrets')
    await page.getByText('80% of today’s settlements are used.').waitFor()
    const side = page.locator('.main-and-side > div').last()
    const words = await side.innerText()
    expect(words).toContain('4 of 5 payments')
    expect(words).toMatch(/0\.001 ETH,\s*no badge\s+1,000/)
    expect(words).toMatch(/bronze\s+0\s+offline/)
    expect(words).toMatch(/\+10,000 Word counter once it is back online/)
    expect(words).toMatch(/\+1,000 once Word counter is verified/)
    await isAccessible()
    await page.setViewportSize({ width: 1280, height: 900 })
    await isAccessible()

    await facilitator.hold(owner.address, 1)
    await page.reload()
    await page.getByText('Today’s settlements are used up.').waitFor()
    await isAccessible()
  })

  test('a new secret is shown once, and closes only when the reader confirms', async () => {
    await signIn('/owner/secrets')
    await button('Create a secret').click()
    await page.getByLabel('Name').fill('New server')
    await inSheet('Create the secret').click()
    const shown = page.getByRole('heading', { name: 'Your new secret, shown only once' })
    await shown.waitFor()
    await isAccessible()
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    expect(await shown.isVisible()).toBe(true)
    const lines = (await page.getByRole('dialog').locator('pre').innerText()).trim().split('\n')
    expect(lines.map(line => line.split('=')[0])).toEqual([
      'FACILITATOR_SECRET',
      'FACILITATOR_URL',
      'SERVICE_NETWORK',
      'AGENT_WALLET_ADDRESS',
      'SERVICE_DEV_MODE',
    ])
    expect(lines[2]).toBe('SERVICE_NETWORK=eip155:84532')
    expect(lines[3]).toBe(`AGENT_WALLET_ADDRESS=${owner.checksummed}`)
    expect(await page.getByRole('dialog').innerText()).toContain('npx farebox start')
    await inSheet('I have saved it').click()
    await page.getByText('New server').waitFor()
    const next = page.locator('.main-and-side').getByRole('link', { name: 'register the agent' })
    expect(await next.first().getAttribute('href')).toBe('/register')
    expect(await page.locator('main').innerText()).not.toContain(lines[0]?.split('=')[1] ?? '')
    await button('Rotate').click()
    await inSheet('Not now').click()
    await expect.poll(() => page.getByText('both active').count()).toBe(0)
    await button('Rotate').click()
    await isAccessible()
    await inSheet('Create the new secret').click()
    await shown.waitFor()
    await inSheet('I have saved it').click()
    await page.getByText('both active').waitFor()
    await button('Revoke').last().click()
    await inSheet('Revoke now').click()
    await page.getByText('both active').waitFor({ state: 'detached' })
    await page.getByText('revoked', { exact: false }).first().waitFor()
  })

  test('a stake is withdrawn by the owner’s own transaction, which is followed after a reload too', async () => {
    await signIn(`/owner/agents/${agentId}`)
    await button(`Deregister agent ${agentId}`).click()
    wallet.answer = (method, params) => {
      if (method === 'eth_sendTransaction') throw new WalletError(4_001, 'no')
      return answer(method, params)
    }
    await inSheet('Deregister and get 0.001 ETH back').click()
    await page.getByText('You declined the request in Fox & Sons. Nothing was sent.').waitFor()
    await isAccessible()
    const sent: unknown[] = []
    wallet.answer = (method, params) => {
      if (method === 'eth_getTransactionCount') return '0x0'
      if (method !== 'eth_sendTransaction') return answer(method, params)
      sent.push(params[0])
      return HASH
    }
    await inSheet('Deregister and get 0.001 ETH back').click()
    await page.getByText('Sent, but not confirmed yet.').waitFor()
    expect(sent).toEqual([
      {
        from: owner.address,
        to: stage.parts.settings.registryAddress,
        value: '0x0',
        data: `0x1a5dbfb4${agentId.toString(16).padStart(64, '0')}`,
      },
    ])
    await page.reload()
    await page.getByText('Sent, but not confirmed yet.').waitFor()
    await stage.database.query(
      'test-deregister',
      `update agents set standing = 'deregistered' where agent_id = $1`,
      [agentId],
    )
    await page.getByText('Confirmed. 0.001 ETH was returned to your wallet.').waitFor()
  })

  test('a chosen theme is in the next document, before any script runs', async () => {
    await page.goto(`${origin}/owner/settings`)
    await page.getByLabel('Dark').check()
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    const cookies = await context.cookies()
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const { body } = await app.inject({ url: '/', headers: { ...HTML, cookie } })
    expect(body).toContain('<html lang="en" data-theme="dark">')
    await page.getByLabel('System').check()
    expect(await context.cookies()).toEqual([])
  })
})
