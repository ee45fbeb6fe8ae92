import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { register, view } from '@farebox/local/src/testing/registry-calls'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { Registration } from '@farebox/platform-api/registry'
import { createApp } from '@farebox/platform/src/app/create-app'
import type { PlatformParts } from '@farebox/platform/src/platform-parts'
import type { Background } from '@farebox/platform/src/work/loop'
import { registryRoutes } from '@farebox/platform/src/registry/registry-routes'
import { startRegistry } from '@farebox/platform/src/registry/start-registry'
import { moveIn, startSite, type AgentSite } from '@farebox/platform/src/test-setup/network/agent-site'
import { findChromium, startBrowser } from '@farebox/platform/src/test-setup/browser/browser'
import {
  installWallet,
  WalletError,
  type BrowserWallet,
} from '@farebox/platform/src/test-setup/browser/browser-wallet'
import { HOSTILE_TEXTS } from '@farebox/platform/src/test-setup/hostile-texts'
import { stagePlatform, type Stage } from '@farebox/platform/src/test-setup/stage-platform'
import { walletsRoutes } from '@farebox/platform/src/wallets/wallets-routes'
import { createJsonLog } from '@farebox/server/log'
import { createPages } from '@farebox/web/create-pages'
import type { FastifyInstance } from 'fastify'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../stage/free-port.ts'
import { findViolations } from '../stage/web/find-violations.ts'
import { watchPage } from '../stage/web/visitor.ts'

const OWNER = TEST_KEYS.agent.address
const WALLET = OWNER.toLowerCase()
const HTML = { accept: 'text/html' }

let chain: LocalChain
let stage: Stage
let parts: PlatformParts
let app: FastifyInstance
let local: FastifyInstance
let registry: Background
let site: AgentSite
let origin: string
let localOrigin: string
/** The platform's log: printed if a page does not show the expected content. */
const lines: string[] = []

beforeAll(async () => {
  chain = await startChain()
  stage = await stagePlatform({
    log: createJsonLog(line => void lines.push(line), Date.now),
    realTime: true,
    rpc: createJsonRpc(chain.rpcUrl),
    // As on a public chain: no wallet in the page.
    settings: { registryAddress: chain.agentRegistry.toLowerCase(), confirmations: 2, localMode: false },
  })
  parts = stage.parts
  ;({ app, origin } = await openApp(parts, {}))
  const localSettings = { localMode: true, faucetKey: TEST_KEYS.faucet.privateKey }
  ;({ app: local, origin: localOrigin } = await openApp(parts, localSettings))
  registry = startRegistry(parts)
})

/** A platform with its pages; requests from other origins are refused, so its address is chosen first. */
async function openApp(
  of: PlatformParts,
  settings: Partial<PlatformParts['settings']>,
): Promise<{ readonly app: FastifyInstance; readonly origin: string }> {
  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  const own: PlatformParts = { ...of, settings: { ...of.settings, ...settings, publicUrl } }
  // The build of the pages: npm run build -w @farebox/web.
  const pages = createPages({ publicUrl, localMode: own.settings.localMode })
  const opened = createApp(own, [...registryRoutes(own), ...walletsRoutes(own)], { pages })
  return { app: opened, origin: await opened.listen({ host: '127.0.0.1', port }) }
}

afterAll(async () => {
  await registry.stop()
  await app.close()
  await local.close()
  await stage.close()
  await parts.rpc.close()
  await chain.stop()
})

beforeEach(async () => {
  site = await startSite()
})

afterEach(() => site.close())

const anvil = (method: string, ...params: readonly unknown[]): Promise<unknown> =>
  callAnvil(chain.rpcUrl, method, [...params])
const mine = (blocks: number): Promise<unknown> => anvil('anvil_mine', `0x${blocks.toString(16)}`)

let callers = 0

/** The path of the agent's page on the site. */
async function openRegistration(): Promise<string> {
  callers += 1
  const answer = await app.inject({
    method: 'POST',
    url: '/v1/registrations',
    payload: { endpoint: site.url },
    remoteAddress: `198.51.100.${callers}`,
  })
  expect(answer.statusCode, answer.body).toBe(200)
  return `/register/${answer.json<Registration>().registration_id}`
}

async function agentsRegistered(): Promise<number> {
  return Number(await view(chain, 'lastAgentId'))
}

describe('the document', () => {
  test('shows the payee, the amount and the network of the stake, and loads nothing from other origins', async () => {
    await moveIn(site, { wallet: WALLET })
    const { body, headers, statusCode } = await app.inject({ url: await openRegistration(), headers: HTML })
    expect(statusCode).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    const policy = String(headers['content-security-policy'])
    for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"])
      expect(policy).toContain(rule)
    expect(policy).not.toContain('unsafe')
    expect(body).not.toMatch(/ (?:on\w+|style)=/)
    expect(body).toContain('<meta name="robots" content="noindex">')
    for (const told of ['Word counter', site.url, OWNER, '0.001', 'Base Sepolia', '84532'])
      expect(body).toContain(told)
  })

  test.each(['00000000-0000-4000-8000-000000000000', 'nonsense', '%3Cscript%3E'])(
    'of a missing registration (%s) shows an explanation',
    async id => {
      const { body, statusCode } = await app.inject({ url: `/register/${id}`, headers: HTML })
      expect(statusCode).toBe(404)
      expect(body).toContain('Page not found')
    },
  )

  test('an address printed by an earlier version leads to it', async () => {
    const { statusCode, headers } = await app.inject({
      url: '/stake/2f6c0000-0000-4000-8000-000000000000',
      headers: HTML,
    })
    expect([statusCode, headers.location]).toEqual([308, '/register/2f6c0000-0000-4000-8000-000000000000'])
    const odd = await app.inject({ url: '/stake/%2F%2Fevil.example', headers: HTML })
    expect(odd.headers.location).toBe('/register/%2F%2Fevil.example')
  })
})

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

  afterEach(async ({ task }) => {
    // A screenshot for a test that timed out.
    if (task.result?.state === 'fail')
      console.error(await page.locator('body').innerText({ timeout: 5_000 }).catch(String))
    await anvil('evm_setAutomine', true)
    await context.close()
    expect(troubles).toEqual([])
  })

  interface Opened extends BrowserContextOptions {
    readonly hasWallet?: boolean
    readonly at?: string
    readonly path?: string
  }

  /** Opens the agent's page on the site, with a wallet in the browser unless there is none. */
  async function open(options: Opened = {}): Promise<void> {
    const { hasWallet = true, at = origin, path, ...look } = options
    context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      reducedMotion: 'reduce',
      ...look,
    })
    context.setDefaultTimeout(0)
    if (hasWallet) wallet = await installWallet(context, chain, { name: 'Fox & Sons', account: WALLET })
    troubles = []
    page = await openTab(at + (path ?? (await openRegistration())))
  }

  async function openTab(url: string): Promise<Page> {
    const tab = await context.newPage()
    watchPage(tab, new URL(url).origin, troubles)
    await tab.goto(url)
    return tab
  }

  const button = (name: string, tab = page) =>
    tab.getByRole('button', { name, exact: true }).filter({ visible: true })

  /** Presses Stake, and selects the wallet if the page asks for one. */
  async function stake(tab = page): Promise<void> {
    await button('Stake 0.001 ETH', tab).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Fox & Sons' }).click()
  }

  async function says(text: string | RegExp, tab = page): Promise<void> {
    await tab
      .locator('.ticket')
      .getByText(text)
      .first()
      .waitFor()
      .catch(async (cause: unknown) => {
        const shown = await tab.locator('main').innerText()
        throw new Error(
          `${text} did not come; the page shows:\n${shown}\n${troubles.join('\n')}\n${lines.slice(-8).join('\n')}`,
          { cause },
        )
      })
  }

  const sends = (): number => wallet.asked.filter(method => method === 'eth_sendTransaction').length

  /** WCAG A and AA, by axe. */
  async function isAccessible(): Promise<void> {
    expect(await findViolations(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
  }

  test('D36 by keyboard alone: stakes, waits for blocks, and opens the agent’s page', async () => {
    await moveIn(site, { wallet: WALLET })
    await open()
    await button('Stake 0.001 ETH').focus()
    await isAccessible()
    const before = await agentsRegistered()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Fox & Sons' }).waitFor()
    await page.keyboard.press('Enter')
    await says(`On-chain as agent ${before + 1}`)
    await isAccessible()
    await mine(3)
    await says(`Listed as agent ${before + 1}`)
    await isAccessible()
    expect(await page.getByRole('link', { name: 'View the agent' }).getAttribute('href')).toBe(
      `/agents/${before + 1}`,
    )
    await page.getByRole('heading', { name: 'Listing', exact: true }).waitFor()
    const told = (await app.inject(`/v1/registrations/${page.url().split('/').at(-1)}`)).json<Registration>()
    const { transaction } = told.status as Extract<Registration['status'], { readonly state: 'listed' }>
    await expect.poll(() => page.locator(`.ticket [title="${transaction}"]`).count()).toBe(1)
    expect(await page.locator('.steps li').last().textContent()).toContain(`as agent ${before + 1}`)
    expect(await page.getByRole('link', { name: 'Check another endpoint' }).getAttribute('href')).toBe(
      '/register',
    )
    expect(await view(chain, 'endpointOf', [before + 1])).toBe(site.url)
    expect(await view(chain, 'ownerOf', [before + 1])).toBe(OWNER)
    expect(
      await page.evaluate(`Object.keys(localStorage).filter(key => key.startsWith('farebox-stake'))`),
    ).toEqual([])
  })

  test('after an endpoint is typed, its checks appear one by one, and the address leads back to it', async () => {
    await moveIn(site, { wallet: WALLET })
    await open({ path: '/register', viewport: { width: 1280, height: 900 } })
    await isAccessible()
    await page.getByLabel('Endpoint').fill(site.url)
    await page.keyboard.press('Enter')
    await button('Stake 0.001 ETH').waitFor()
    await page.waitForURL(/\/register\/[0-9a-f-]{36}$/)
    await expect.poll(() => page.locator('.checks .passed').count()).toBe(10)
    await page.getByText('Word counter').waitFor()
    await isAccessible()
    await page.reload()
    await button('Stake 0.001 ETH').waitFor()
    await expect.poll(() => page.locator('.checks .passed').count()).toBe(10)
  })

  test('a failing endpoint shows rule, expected, got and the fix, and stays in its field', async () => {
    await moveIn(site, { wallet: WALLET, devMode: true })
    await open({ path: '/register', viewport: { width: 1280, height: 900 }, colorScheme: 'dark' })
    await page.getByLabel('Endpoint').fill(site.url)
    await button('Check').click()
    await page.getByRole('alert').getByText('Not ready to register.').waitFor()
    const failed = page.locator('.checks .failed')
    for (const word of ['Expected', 'Got', 'Fix']) expect(await failed.innerText()).toContain(word)
    expect(await page.getByLabel('Endpoint').inputValue()).toBe(site.url)
    await expect.poll(() => page.locator('.button.fare').count()).toBe(0)
    await isAccessible()
    await moveIn(site, { wallet: WALLET })
    await button('Check').click()
    await button('Stake 0.001 ETH').waitFor()
  })

  test('without a wallet it links to one', async () => {
    await moveIn(site, { wallet: WALLET })
    await open({ hasWallet: false, colorScheme: 'dark' })
    await button('Stake 0.001 ETH').click()
    await page.getByText('No wallets were found in this browser.').waitFor()
    await isAccessible()
  })

  test('D36 a wrong account is reported, and the page continues when it is changed', async () => {
    await moveIn(site, { wallet: WALLET })
    await open({ viewport: { width: 1280, height: 900 } })
    wallet.accounts = [TEST_KEYS.stranger.address]
    const before = await agentsRegistered()
    await stake()
    await says('Wrong account.')
    await isAccessible()
    expect(sends()).toBe(0)
    await wallet.changeAccount(page, OWNER)
    await says(/^On-chain as agent/)
    expect(await agentsRegistered()).toBe(before + 1)
  })

  test('D36 the account of /about is used when the wallet exposes more than one', async () => {
    await moveIn(site, { wallet: WALLET })
    await open()
    wallet.accounts = [TEST_KEYS.stranger.address, OWNER]
    await stake()
    await says(/^On-chain as agent/)
    expect(await view(chain, 'ownerOf', [await agentsRegistered()])).toBe(OWNER)
  })

  test('a request declined in the wallet sends nothing, and can be repeated', async () => {
    await moveIn(site, { wallet: WALLET })
    await open({ viewport: { width: 1280, height: 900 }, colorScheme: 'dark' })
    wallet.answer = method => {
      if (method === 'eth_sendTransaction') throw new WalletError(4001, 'User rejected the request.')
    }
    const before = await agentsRegistered()
    await stake()
    await says('You declined the request in Fox & Sons.')
    await isAccessible()
    expect(await agentsRegistered()).toBe(before)
    wallet.answer = () => undefined
    await button('Stake 0.001 ETH').click()
    await says(/^On-chain as agent/)
  })

  test('the network is changed first; a network that the wallet does not know is named by its number', async () => {
    await moveIn(site, { wallet: WALLET })
    await open()
    let chainId = '0x1'
    wallet.answer = method => {
      if (method === 'eth_chainId') return chainId
      if (method === 'wallet_switchEthereumChain') throw new WalletError(4902, 'Unrecognized chain')
    }
    await stake()
    await says('Add Base Sepolia (chain ID 84532) to your wallet')
    wallet.answer = (method, [given]) => {
      if (method === 'eth_chainId') return chainId
      if (method !== 'wallet_switchEthereumChain') return undefined
      chainId = (given as { chainId: string }).chainId
      return {}
    }
    await button('Stake 0.001 ETH').click()
    await says(/^On-chain as agent/)
    expect(chainId).toBe('0x14a34')
  })

  test('REG-02 a chain of the same number without the registry gets no ether', async () => {
    await moveIn(site, { wallet: WALLET })
    await open()
    wallet.answer = method => (method === 'eth_call' ? '0x' : undefined)
    await stake()
    await says('Registry not found.')
    expect(sends()).toBe(0)
  })

  test('a chain that does not answer and one without the registry have different messages', async () => {
    await moveIn(site, { wallet: WALLET })
    await open()
    wallet.answer = method => {
      if (method === 'eth_call') throw new WalletError(-32_603, 'The request timed out.')
    }
    await stake()
    await says('The chain is not responding. Nothing was sent. Try again in a moment.')
    wallet.answer = method => {
      if (method === 'eth_call') throw new WalletError(3, 'execution reverted')
    }
    await button('Stake 0.001 ETH').click()
    await says('Registry not found.')
    expect(sends()).toBe(0)
  })

  test('a balance that is too low is reported before the wallet is asked', async () => {
    await moveIn(site, { wallet: TEST_KEYS.stranger.address.toLowerCase() })
    await open({ viewport: { width: 1280, height: 900 } })
    wallet.accounts = [TEST_KEYS.stranger.address]
    await anvil('anvil_setBalance', TEST_KEYS.stranger.address, `0x${(10n ** 14n).toString(16)}`)
    await stake()
    await says('has 0.0001 ETH; the stake is 0.001')
    expect(sends()).toBe(0)
    await anvil('anvil_setBalance', TEST_KEYS.stranger.address, `0x${(10n ** 18n).toString(16)}`)
  })

  test('REG-06 two tabs send one transaction, and a reloaded tab continues to wait', async () => {
    await moveIn(site, { wallet: WALLET })
    await open()
    const other = await openTab(page.url())
    const before = await agentsRegistered()
    // The wallet waits until both tabs have come as far as they can.
    let isAnswered = (): void => undefined
    const answered = new Promise<undefined>(resolve => {
      isAnswered = () => resolve(undefined)
    })
    wallet.answer = method => (method === 'eth_sendTransaction' ? answered : undefined)
    await stake()
    await says('Confirm the stake in Fox & Sons')
    await button('Stake 0.001 ETH', other)
      .click({ timeout: 2_000 })
      .then(() => other.getByRole('dialog').getByRole('button', { name: 'Fox & Sons' }).click())
      .catch(() => undefined)
    await says('Another tab is already staking.', other)
    isAnswered()
    await says(/^On-chain as agent/)
    await says(/^On-chain as agent/, other)
    expect([await agentsRegistered(), sends()]).toEqual([before + 1, 1])
    await page.reload()
    await says(`On-chain as agent ${before + 1}`)
    await mine(3)
    await says(`Listed as agent ${before + 1}`)
    await says(`Listed as agent ${before + 1}`, other)
  })

  test('REG-06 repeated presses of the button request one transaction', async () => {
    await moveIn(site, { wallet: WALLET })
    await open()
    await stake()
    await says(/^On-chain as agent/)
    const path = await openAnother()
    await page.goto(origin + path)
    await button('Stake 0.001 ETH').waitFor()
    const before = [await agentsRegistered(), sends()] as const
    await page.waitForTimeout(600)
    await page.evaluate(
      `for (let i = 0; i < 5; i += 1) document.querySelector('.pay-bar .button.fare').click()`,
    )
    await says(/^On-chain as agent/)
    expect([await agentsRegistered(), sends()]).toEqual([before[0] + 1, before[1] + 1])
  })

  async function openAnother(): Promise<string> {
    await site.close()
    site = await startSite()
    await moveIn(site, { wallet: WALLET })
    return await openRegistration()
  }

  test('REG-06 a reload while the wallet asks offers no second stake, and continues with the first', async () => {
    await moveIn(site, { wallet: WALLET })
    await open({ viewport: { width: 1280, height: 900 } })
    const before = await agentsRegistered()
    let isConfirmed = (): void => undefined
    const confirmed = new Promise<undefined>(resolve => {
      isConfirmed = () => resolve(undefined)
    })
    wallet.answer = method => (method === 'eth_sendTransaction' ? confirmed : undefined)
    await stake()
    await says('Confirm the stake in Fox & Sons')
    // The page reports this just before it asks: a wallet that was never asked sends nothing.
    await expect.poll(sends).toBe(1)
    await page.reload()
    await says('The stake may have been sent.')
    await expect.poll(() => page.locator('.button.fare').count()).toBe(0)
    await isAccessible()
    isConfirmed()
    await says(`On-chain as agent ${before + 1}`)
    expect([await agentsRegistered(), sends()]).toEqual([before + 1, 1])
  })

  test('a request that the wallet declined by itself is repeated when its owner asks', async () => {
    await moveIn(site, { wallet: WALLET })
    await open()
    wallet.answer = method => {
      if (method === 'eth_sendTransaction') throw new WalletError(-32_603, 'Internal JSON-RPC error.')
    }
    await stake()
    await says('The stake may have been sent.')
    await expect.poll(() => page.locator('.button.fare').count()).toBe(0)
    wallet.answer = () => undefined
    await page.getByRole('button', { name: 'It was not sent. Start again' }).click()
    await button('Stake 0.001 ETH').click()
    await says(/^On-chain as agent/)
  })

  test('a stake that the contract refuses is reported: only gas was spent', async () => {
    await moveIn(site, { wallet: WALLET })
    await open()
    wallet.answer = async (method, [given]) => {
      if (method !== 'eth_sendTransaction') return undefined
      return await anvil('eth_sendTransaction', { ...(given as object), value: '0x1', gas: '0x100000' })
    }
    await stake()
    await says('The contract rejected the stake.')
    await button('Stake 0.001 ETH').waitFor()
  })

  test('a stake that is sped up in the wallet is followed; a cancelled one can be started again', async () => {
    await moveIn(site, { wallet: WALLET })
    await open()
    await anvil('evm_setAutomine', false)
    let sent: { readonly [key: string]: unknown } = {}
    wallet.answer = async (method, [given]) => {
      if (method !== 'eth_sendTransaction') return undefined
      const nonce = await anvil('eth_getTransactionCount', OWNER, 'latest')
      sent = {
        ...(given as object),
        nonce,
        gas: '0x100000',
        maxFeePerGas: '0x77359400',
        maxPriorityFeePerGas: '0x1',
      }
      return await anvil('eth_sendTransaction', sent)
    }
    await stake()
    await says('Not confirmed yet.')
    const replaced = { ...sent, maxFeePerGas: '0xee6b2800', maxPriorityFeePerGas: '0x3b9aca00' }
    await page.waitForTimeout(2_500)
    await anvil('eth_sendTransaction', { ...replaced, to: OWNER, value: '0x0', data: '0x' })
    await mine(1)
    await says('Your wallet replaced this transaction with another one.')
    await isAccessible()
    await page.getByRole('button', { name: 'I canceled it. Start again' }).click()
    await button('Stake 0.001 ETH').click()
    await says('Not confirmed yet.')
    const before = await agentsRegistered()
    await page.waitForTimeout(2_500)
    await anvil('eth_sendTransaction', {
      ...sent,
      maxFeePerGas: '0xee6b2800',
      maxPriorityFeePerGas: '0x3b9aca00',
    })
    await mine(1)
    await says(`On-chain as agent ${before + 1}`)
  })

  test('a stake made elsewhere appears on an open page, and on a page opened later', async () => {
    await moveIn(site, { wallet: WALLET })
    await open()
    await button('Stake 0.001 ETH').waitFor()
    const agentId = await register(chain, OWNER, site.url)
    await says(`On-chain as agent ${agentId}`)
    await mine(3)
    await says(`Listed as agent ${agentId}`)
    await page.reload()
    await isAlreadyListed(agentId, '0x')
    expect(wallet.asked).toEqual([])
  })

  /** An agent that was listed before is shown as such: no step is ticked as if this visitor had done it. */
  async function isAlreadyListed(agentId: number | bigint, by: string): Promise<void> {
    await page.getByText(`Already listed as agent ${agentId}, by ${by}`).waitFor()
    expect(await page.getByRole('link', { name: 'View the agent' }).getAttribute('href')).toBe(
      `/agents/${agentId}`,
    )
    await expect.poll(() => page.locator('.steps .done, .checks .passed, .stamp').count()).toBe(0)
    await expect.poll(() => page.locator('.button.fare').count()).toBe(0)
    expect(await page.getByLabel('Endpoint').isEditable()).toBe(true)
    await isAccessible()
  }

  test('an endpoint listed by another owner names that owner, and another endpoint can be checked', async () => {
    await moveIn(site, { wallet: WALLET })
    const path = await openRegistration()
    const agentId = await register(chain, OWNER, site.url)
    await mine(3)
    await open({ path: '/register', hasWallet: false })
    const readState = async (): Promise<string> =>
      (await app.inject(`/v1/registrations/${path.split('/').at(-1)}`)).json<Registration>().status.state
    await expect.poll(readState).toBe('listed')
    await page.getByLabel('Endpoint').fill(site.url)
    await button('Check').click()
    const owner = `${OWNER.slice(0, 6)}…${OWNER.slice(-4)}`
    await isAlreadyListed(agentId, owner)
    // Like an agent that was registered without this page.
    await stage.database.query('test-forget', 'delete from registrations where endpoint = $1', [site.url])
    await page.goto(`${origin}/register`)
    await page.getByLabel('Endpoint').fill(site.url)
    await button('Check').click()
    await isAlreadyListed(agentId, owner)
    await openAnother()
    await page.getByLabel('Endpoint').fill(site.url)
    await button('Check').click()
    await button('Stake 0.001 ETH').waitFor()
    await expect.poll(() => page.locator('.checks .passed').count()).toBe(10)
  })

  test('D36 an agent that changes its wallet before the stake is not staked for', async () => {
    await moveIn(site, { wallet: WALLET })
    await open()
    await button('Stake 0.001 ETH').waitFor()
    await change(told => ({
      ...told,
      found: { ...told.found, wallet: TEST_KEYS.stranger.address.toLowerCase() },
    }))
    await stake()
    await says(/The agent now specifies another wallet\.|Wrong account\./)
    expect(sends()).toBe(0)
  })

  /** Replaces the platform's answers from now on. */
  async function change(how: (told: Registration) => object): Promise<void> {
    await page.route('**/v1/registrations/*', async route => {
      const { pathname: url } = new URL(route.request().url())
      await route.fulfill({ json: how((await app.inject(url)).json<Registration>()) })
    })
  }

  test('a platform that requests another transaction than the page shows is not trusted', async () => {
    await moveIn(site, { wallet: WALLET })
    await open()
    let changed = 0
    await change(told => {
      changed += 1
      return { ...told, stake_wei: '9000000000000000000' }
    })
    // An answer already in progress is passed on.
    await expect.poll(() => changed).toBeGreaterThan(1)
    await stake()
    await says('The platform requested a different transaction from the one shown here.')
    expect(sends()).toBe(0)
  })

  test.each(HOSTILE_TEXTS)('WEB-01 an agent called %j runs no code', async text => {
    await moveIn(site, { wallet: WALLET, declaration: { name: text.slice(0, 64), description: text } })
    await open()
    await button('Stake 0.001 ETH').waitFor()
    expect(await page.evaluate('window.pwned')).toBeUndefined()
    await expect.poll(() => page.locator('.page script, .page img, .page [onload]').count()).toBe(0)
    expect(await page.locator('.entry').innerText()).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u)
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
  })

  test('WEB-01 announced wallets are untrusted: names are text, and icons are images from the announcement', async () => {
    await moveIn(site, { wallet: WALLET })
    await open()
    await page.addInitScript({ content: `(${HOSTILE_WALLETS})(${JSON.stringify(HOSTILE_TEXTS)})` })
    const outside: string[] = []
    page.on('request', request => {
      const { protocol } = new URL(request.url())
      if (!request.url().startsWith(origin) && protocol !== 'data:') outside.push(request.url())
    })
    await page.reload()
    await button('Stake 0.001 ETH').click()
    const sheet = page.getByRole('dialog')
    await sheet.getByRole('button', { name: 'Fox & Sons' }).waitFor()
    expect(await page.evaluate('window.pwned')).toBeUndefined()
    expect(outside).toEqual([])
    await expect.poll(() => sheet.locator('img').count()).toBe(1)
    expect(await sheet.innerText()).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u)
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
  })

  test('D36 an agent without /about shows how it will be listed, and any account can stake', async () => {
    site.answer = async request =>
      new URL(request.url).pathname === '/health'
        ? Response.json({ name: 'Old one', version: '1.0', status: 'ok' })
        : Response.json({ status: 'failed' }, { status: 404 })
    await open({ viewport: { width: 1280, height: 900 } })
    await page.getByText('unpaid and provisional').first().waitFor()
    await isAccessible()
    wallet.accounts = [TEST_KEYS.stranger.address]
    await stake()
    await says(/^On-chain as agent/)
  })

  test('on a local chain the page’s test wallet stakes when it is the wallet of /about', async () => {
    await moveIn(site, { wallet: WALLET })
    await open({ at: localOrigin, path: '/register', viewport: { width: 1280, height: 900 } })
    await page.getByRole('button', { name: /USDC/ }).click()
    const address = await page.getByRole('dialog').locator('.mono').innerText()
    await button('Close').click()
    await moveIn(site, { wallet: address.toLowerCase() })
    await page.getByLabel('Endpoint').fill(site.url)
    await page.keyboard.press('Enter')
    await button('Stake 0.001 ETH').click()
    await says(/^On-chain as agent/)
    expect(await view(chain, 'ownerOf', [await agentsRegistered()])).toBe(address)
    await mine(3)
    await says('Listed as agent')
    await page.reload()
    await isAlreadyListed(await agentsRegistered(), 'you')
  })

  test('on a local chain with another test wallet, another wallet replaces it', async () => {
    await moveIn(site, { wallet: WALLET })
    await open({ at: localOrigin })
    await button('Stake 0.001 ETH').click()
    await says('Wrong account.')
    await page.getByRole('button', { name: 'Use another wallet' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Fox & Sons' }).click()
    await says(/^On-chain as agent/)
  })
})

/** Runs in the page: wallets that try to be more than a name in a list. */
const HOSTILE_WALLETS = `names => {
  const icons = ['javascript:window.pwned=1', 'https://evil.example/icon.png', 'data:text/html,<script>window.pwned=1</script>', '/icon.svg', 42]
  const announce = () => names.slice(0, 9).forEach((name, index) => {
    const provider = { request: () => new Promise(() => {}) }
    const info = { uuid: String(index), rdns: 'evil.' + index, name: index === 3 ? 'x'.repeat(10000) : name, icon: icons[index % icons.length] }
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider } }))
  })
  window.addEventListener('eip6963:requestProvider', announce)
  window.addEventListener('eip6963:requestProvider', () => {
    for (const detail of [null, undefined, 7, {}, { info: null, provider: null }, { info: {}, provider: { request: 1 } }])
      window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  })
}`
