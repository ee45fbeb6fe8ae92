import { installWallet, type BrowserWallet } from '@farebox/platform/src/test-setup/browser/browser-wallet'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { WebStage } from './web-stage.ts'

/** A visitor of the pages, with their browser's complaints. */
export interface Visitor {
  readonly context: BrowserContext
  readonly page: Page
  /** Absent: a visitor without a wallet. */
  readonly wallet?: BrowserWallet
  /** Errors of scripts, reports of the policy, and requests to other origins. */
  readonly troubles: string[]
}

/** Options of the browser window; `account`: with a wallet that holds it. */
export type VisitOptions = BrowserContextOptions & { readonly account?: string }

/** Opens a separate browser for a visitor; with an account, a wallet announces itself in each page. */
export async function visit(
  browser: Browser,
  { stage, url }: Pick<WebStage, 'stage' | 'url'>,
  options: VisitOptions = {},
): Promise<Visitor> {
  const { account, ...rest } = options
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    baseURL: url,
    ...rest,
  })
  const troubles: string[] = []
  const wallet =
    account === undefined
      ? undefined
      : await installWallet(context, stage.chain, { name: 'Example Wallet', account })
  // If the browser has a wallet, the test wallet of the local chain is not used.
  if (account !== undefined) await context.addInitScript(NO_TEST_WALLET)
  context.on('page', page => watchPage(page, url, troubles))
  // Expected elements are waited for until the test ends.
  context.setDefaultTimeout(0)
  const page = await context.newPage()
  return { context, page, troubles, ...(wallet !== undefined && { wallet }) }
}

/**
 * Records the complaints of a page's browser: errors, reports of the policy, requests to origins other than `url`. It
 * also makes `goto` and `reload` of the page wait until its scripts handle clicks, which on a busy machine is later
 * than the load event; `waitUntil: 'commit'` does not wait.
 */
export function watchPage(page: Page, url: string, troubles: string[]): void {
  const goto = page.goto.bind(page)
  const reload = page.reload.bind(page)
  page.goto = async (to, options) => {
    const answer = await goto(to, options)
    return options?.waitUntil === 'commit' ? answer : await thenTakenOver(page, answer)
  }
  page.reload = async (...given) => await thenTakenOver(page, await reload(...given))
  page.on('pageerror', error => troubles.push(`error: ${error.message}`))
  page.on('dialog', dialog => {
    troubles.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', message => {
    // No page may request private data of a visitor who is not signed in.
    if (message.type() === 'error' && !/Failed to load resource(?!.*\b401\b)/.test(message.text()))
      troubles.push(`console: ${message.text()}`)
  })
  page.on('request', request => {
    const { protocol, origin } = new URL(request.url())
    if (origin !== url && protocol.startsWith('http')) troubles.push(`request: ${request.url()}`)
  })
}

/** An empty page has no storage. */
const NO_TEST_WALLET = `if (location.protocol === 'http:' && localStorage.getItem('farebox-wallet') === null)
  localStorage.setItem('farebox-wallet', 'none')`

async function thenTakenOver<T>(page: Page, answer: T): Promise<T> {
  await page.evaluate(TAKEN_OVER).catch((error: unknown) => {
    // The page navigated by itself.
    if (!/context was destroyed|navigation/i.test(String(error))) throw error
  })
  return answer
}

/** Pages without scripts and error pages never set the mark. */
const TAKEN_OVER = `new Promise(resolve => {
  const state = JSON.parse(document.getElementById('state')?.textContent ?? '{}')
  if (matchMedia('(scripting: none)').matches || (state.status !== 200 && state.status !== 404)) return resolve()
  new PerformanceObserver(entries => {
    if (entries.getEntriesByName('taken-over').length > 0) resolve()
  }).observe({ type: 'mark', buffered: true })
})`
