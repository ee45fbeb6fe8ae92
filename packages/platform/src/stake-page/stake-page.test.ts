import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { register, view } from '@farebox/local/src/testing/registry-calls'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { Registration } from '@farebox/platform-api/registry'
import { createJsonLog } from '@farebox/server/log'
import type { FastifyInstance } from 'fastify'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import type { Background, PlatformParts } from '../platform-parts.ts'
import { registryRoutes } from '../registry/registry-routes.ts'
import { startRegistry } from '../registry/start-registry.ts'
import { moveIn, startSite, type AgentSite } from '../test-setup/agent-site.ts'
import { findChromium, startBrowser } from '../test-setup/browser.ts'
import { installWallet, WalletError, type BrowserWallet } from '../test-setup/browser-wallet.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { HOSTILE_TEXTS } from '../test-setup/hostile-texts.ts'
import { stakePageRoutes } from './stake-page-routes.ts'

const OWNER = TEST_KEYS.agent.address
const WALLET = OWNER.toLowerCase()
/** Where pictures of the states are put for people to look at; unset: none are taken. */
const PICTURES = process.env['FAREBOX_TEST_PICTURES']

let chain: LocalChain
let stage: Stage
let parts: PlatformParts
let app: FastifyInstance
let registry: Background
let site: AgentSite
let origin: string
/** What the platform logged: told with a page that does not show what it should. */
const lines: string[] = []

beforeAll(async () => {
  chain = await startChain()
  stage = await stagePlatform({
    log: createJsonLog(line => void lines.push(line), Date.now),
    realTime: true,
    rpc: createJsonRpc(chain.rpcUrl),
    settings: { registryAddress: chain.agentRegistry.toLowerCase(), confirmations: 2 },
  })
  parts = stage.parts
  app = createApp(parts, [...registryRoutes(parts), ...stakePageRoutes(parts)])
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
  registry = startRegistry(parts)
})

afterAll(async () => {
  await registry.stop()
  await app.close()
  await stage.close()
  await parts.rpc.close()
  await chain.stop()
})

beforeEach(async () => {
  site = await startSite()
})

afterEach(() => site.close())

const mine = (blocks: number): Promise<unknown> =>
  callAnvil(chain.rpcUrl, 'anvil_mine', [`0x${blocks.toString(16)}`])

let callers = 0

/** The path of the stake page of the agent at the site. */
async function openRegistration(): Promise<string> {
  callers += 1
  const answer = await app.inject({
    method: 'POST',
    url: '/v1/registrations',
    payload: { endpoint: site.url },
    remoteAddress: `198.51.100.${callers}`,
  })
  expect(answer.statusCode, answer.body).toBe(200)
  return `/stake/${answer.json<Registration>().registration_id}`
}

async function agentsRegistered(): Promise<number> {
  return Number(await view(chain, 'lastAgentId'))
}

describe('the page', () => {
  test('shows who is staked for, how much, where, and lets nothing from elsewhere in', async () => {
    await moveIn(site, { wallet: WALLET })
    const { body, headers, statusCode } = await app.inject(await openRegistration())
    expect(statusCode).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    const policy = String(headers['content-security-policy'])
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1]
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(body).toContain(`<script type="module" nonce="${nonce}">`)
    expect(body.replaceAll(nonce ?? '', '')).not.toMatch(/ (?:on\w+|style)=|(?:src|href)=/)
    for (const told of ['Word counter', site.url, OWNER, '0.001 ETH', 'Base Sepolia', '84532']) {
      expect(body).toContain(told)
    }
    expect((await app.inject(await openRegistration())).headers['content-security-policy']).not.toBe(policy)
  })

  test.each(['00000000-0000-4000-8000-000000000000', 'nonsense', '%3Cscript%3E'])(
    'of a registration that is not there (%s) says so to a person',
    async id => {
      const { body, statusCode, headers } = await app.inject(`/stake/${id}`)
      expect(statusCode).toBe(404)
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(body).toContain('There is no such registration')
    },
  )

  test.each(HOSTILE_TEXTS)('WEB-01 an agent called %j is shown as text', async text => {
    await moveIn(site, { wallet: WALLET, declaration: { name: text.slice(0, 64), description: text } })
    const { body } = await app.inject(await openRegistration())
    const shown = body.slice(0, body.indexOf('<script type="application/json"'))
    const tags = shown.match(/<\/?[a-z][^>]*>/gi) ?? []
    expect(new Set(tags.map(tag => /^<\/?([a-z0-9]+)/i.exec(tag)?.[1]))).toEqual(new Set(OWN_TAGS))
    expect(body.match(/<script/g)).toHaveLength(2)
    expect(body).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u)
  })
})

const OWN_TAGS = (
  'html head meta title style body header main h1 bdi p dl div dt dd span br strong section h2 noscript code ' +
  'details summary'
).split(' ')

const chromium = findChromium()

describe.skipIf(chromium === undefined)('in a browser', () => {
  let browser: Browser
  let context: BrowserContext
  let wallet: BrowserWallet
  let page: Page
  let troubles: string[]

  beforeAll(async () => {
    browser = await startBrowser(chromium ?? '')
  })

  afterAll(() => browser.close())

  afterEach(async () => {
    await context.close()
    expect(troubles).toEqual([])
  })

  /** Opens the page of the agent at the site, with a wallet in the browser unless there is none. */
  async function open(options: BrowserContextOptions & { readonly hasWallet?: boolean } = {}): Promise<void> {
    const { hasWallet = true, ...look } = options
    context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...look })
    if (hasWallet) wallet = await installWallet(context, chain, { name: 'Fox & Sons', account: WALLET })
    troubles = []
    page = await openTab(await openRegistration())
  }

  async function openTab(path: string): Promise<Page> {
    const tab = await context.newPage()
    tab.on('pageerror', error => troubles.push(error.message))
    tab.on('console', message => {
      if (message.type() === 'error') troubles.push(message.text())
    })
    await tab.goto(origin + path)
    return tab
  }

  async function title(text: string | RegExp, withinMs = 15_000): Promise<void> {
    const heading = page.getByRole('heading', { level: 2, name: text })
    await heading.waitFor({ timeout: withinMs }).catch(async (cause: unknown) => {
      const shown = await page.locator('#step').innerText()
      throw new Error(`${text} did not come; the page shows:\n${shown}\n${lines.join('\n')}`, { cause })
    })
  }

  async function picture(name: string): Promise<void> {
    if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true })
  }

  test('D36 by keyboard alone: connects, stakes, waits for blocks, and leads to the agent', async () => {
    await moveIn(site, { wallet: WALLET })
    await open()
    await page.getByRole('button', { name: 'Fox & Sons' }).waitFor()
    await picture('choose-phone-light')
    const before = await agentsRegistered()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Fox & Sons')
    await page.keyboard.press('Enter')
    await title(`Staked as agent ${before + 1}`)
    await picture('confirming-phone-light')
    await mine(3)
    await title(`Listed as agent ${before + 1}`)
    await picture('listed-phone-light')
    expect(await page.getByRole('link', { name: 'See the agent' }).getAttribute('href')).toContain(
      `/agents/${before + 1}`,
    )
    expect(await view(chain, 'endpointOf', [before + 1])).toBe(site.url)
    expect(await view(chain, 'ownerOf', [before + 1])).toBe(OWNER)
    expect(await page.evaluate('localStorage.length')).toBe(0)
  })

  test('without a wallet it says where to go', async () => {
    await moveIn(site, { wallet: WALLET })
    await open({ hasWallet: false, colorScheme: 'dark' })
    await title('There is no wallet in this browser')
    await picture('no-wallet-phone-dark')
    await page.getByRole('button', { name: 'Copy the address of this page' }).click()
    await page.getByText(/^Cop(?:ied|y it by hand)/).waitFor()
  })

  test('D36 another account is told, and the page goes on when it is changed', async () => {
    await moveIn(site, { wallet: WALLET })
    await open({ viewport: { width: 1280, height: 900 } })
    wallet.accounts = [TEST_KEYS.stranger.address]
    const before = await agentsRegistered()
    await page.getByRole('button', { name: 'Fox & Sons' }).click()
    await title('This is another account')
    await picture('other-account-desktop-light')
    expect(wallet.asked).not.toContain('eth_sendTransaction')
    await wallet.changeAccount(page, OWNER)
    await title(/^Staked as agent/)
    expect(await agentsRegistered()).toBe(before + 1)
  })

  test('a refusal in the wallet sends nothing, and it can be tried again', async () => {
    await moveIn(site, { wallet: WALLET })
    await open({ viewport: { width: 1280, height: 900 }, colorScheme: 'dark' })
    wallet.answer = method => {
      if (method === 'eth_sendTransaction') throw new WalletError(4001, 'User rejected the request.')
    }
    const before = await agentsRegistered()
    await page.getByRole('button', { name: 'Fox & Sons' }).click()
    await title('You refused')
    await picture('refused-desktop-dark')
    expect(await agentsRegistered()).toBe(before)
    wallet.answer = () => undefined
    await page.getByRole('button', { name: 'Try again' }).click()
    await title(/^Staked as agent/)
  })

  test('the network is changed first; one the wallet does not know is told by its number', async () => {
    await moveIn(site, { wallet: WALLET })
    await open()
    let chainId = '0x1'
    wallet.answer = method => {
      if (method === 'eth_chainId') return chainId
      if (method === 'wallet_switchEthereumChain') throw new WalletError(4902, 'Unrecognized chain')
    }
    await page.getByRole('button', { name: 'Fox & Sons' }).click()
    await title('Your wallet does not know the network')
    await page.getByText('Add Base Sepolia (chain id 84532) to it').waitFor()
    wallet.answer = (method, [given]) => {
      if (method === 'eth_chainId') return chainId
      if (method !== 'wallet_switchEthereumChain') return undefined
      chainId = (given as { chainId: string }).chainId
      return {}
    }
    await page.getByRole('button', { name: 'Try again' }).click()
    await title(/^Staked as agent/)
    expect(chainId).toBe('0x14a34')
  })

  test('REG-02 a chain of the same number without the registry gets no ether', async () => {
    await moveIn(site, { wallet: WALLET })
    await open()
    wallet.answer = method => (method === 'eth_call' ? '0x' : undefined)
    await page.getByRole('button', { name: 'Fox & Sons' }).click()
    await title('The registry is not there')
    expect(wallet.asked).not.toContain('eth_sendTransaction')
  })

  test('REG-06 two tabs send one transaction, and a reload goes on waiting', async () => {
    await moveIn(site, { wallet: WALLET })
    await open()
    const other = await openTab(new URL(page.url()).pathname)
    for (const tab of [page, other]) await tab.getByRole('button', { name: 'Fox & Sons' }).waitFor()
    const before = await agentsRegistered()
    // The wallet takes its time until both tabs have come as far as they can.
    wallet.answer = async method => {
      if (method !== 'eth_sendTransaction') return
      await expect.poll(() => wallet.asked.filter(asked => asked === 'eth_call').length).toBe(2)
    }
    for (const tab of [page, other]) await tab.evaluate(`document.querySelector('#actions button').click()`)
    await title(/^Staked as agent/)
    await other.getByRole('heading', { name: /^(?:Staked as agent|Another tab is staking)/ }).waitFor()
    expect(await agentsRegistered()).toBe(before + 1)
    await page.reload()
    await title(`Staked as agent ${before + 1}`)
    await mine(3)
    await title(`Listed as agent ${before + 1}`)
  })

  test('a stake that the contract refuses is told: only gas was spent', async () => {
    await moveIn(site, { wallet: WALLET })
    await open()
    wallet.answer = async (method, [given]) => {
      if (method !== 'eth_sendTransaction') return undefined
      const doomed = { ...(given as object), value: '0x1', gas: '0x100000' }
      return await callAnvil(chain.rpcUrl, 'eth_sendTransaction', [doomed])
    }
    await page.getByRole('button', { name: 'Fox & Sons' }).click()
    await title('The contract refused the stake')
    await page.getByRole('button', { name: 'Back' }).click()
    await title('Stake with a wallet')
  })

  test('a stake from elsewhere is seen by who has the page open, and by who opens it afterwards', async () => {
    await moveIn(site, { wallet: WALLET })
    await open()
    await title('Stake with a wallet')
    const agentId = await register(chain, OWNER, site.url)
    await title(`Staked as agent ${agentId}`)
    await mine(3)
    await title(`Listed as agent ${agentId}`)
    await page.reload()
    await title(`Listed as agent ${agentId}`)
    expect(wallet.asked).toEqual([])
  })

  test.each(HOSTILE_TEXTS)('WEB-01 nothing of an agent called %j is run', async text => {
    await moveIn(site, { wallet: WALLET, declaration: { name: text.slice(0, 64), description: text } })
    await open()
    await page.getByRole('button', { name: 'Fox & Sons' }).waitFor()
    expect(await page.evaluate('window.pwned')).toBeUndefined()
    expect(await page.getByRole('button').count()).toBe(1)
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
  })

  test('D36 an agent without /about says what it will be listed as, and any account stakes', async () => {
    site.answer = async request =>
      new URL(request.url).pathname === '/health'
        ? Response.json({ name: 'Old one', version: '1.0', status: 'ok' })
        : Response.json({ status: 'failed' }, { status: 404 })
    await open({ viewport: { width: 1280, height: 900 } })
    await page.getByText('unpaid and provisional').first().waitFor()
    await picture('phase-1-desktop-light')
    wallet.accounts = [TEST_KEYS.stranger.address]
    await page.getByRole('button', { name: 'Fox & Sons' }).click()
    await title(/^Staked as agent/)
  })
})
