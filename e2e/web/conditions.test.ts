import { findChromium } from '@farebox/platform/src/test-setup/browser/browser'
import type { CDPSession, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Visitor } from '../stage/web/visitor.ts'
import { createWebScene } from '../stage/web/web-scene.ts'

/** A poor mobile network. */
const SLOW = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }

const chromium = findChromium()

describe.skipIf(chromium === undefined)('the pages on slow networks and with assistive technology', () => {
  const scene = createWebScene(chromium)

  async function slowDown({ context, page }: Visitor): Promise<CDPSession> {
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', SLOW)
    return session
  }

  /** Presses Tab until the focused element has this name. */
  async function tabTo(page: Page, name: RegExp, most = 60): Promise<void> {
    const seen: string[] = []
    for (let presses = 0; presses < most; presses++) {
      await page.keyboard.press('Tab')
      const called = await page.evaluate(FOCUSED)
      seen.push(String(called))
      if (name.test(String(called))) return
    }
    throw new Error(`no ${String(name)} among ${seen.join(' | ')}`)
  }

  test('with 400 ms latency at 400 kb/s, the content of a page loads in 3 s, and a job is paid once', async () => {
    const visitor = await scene.come()
    await slowDown(visitor)
    const { page } = visitor
    await page.goto('/', { waitUntil: 'commit' })
    await page.getByRole('heading', { name: 'Teller' }).waitFor()
    const bytes = Number(await page.evaluate(BYTES_TO_READ))
    // Time to connect, to request the page, and to request its blocking resources.
    const waitSeconds = 3 * (SLOW.latency / 1_000)
    expect(waitSeconds + bytes / SLOW.downloadThroughput).toBeLessThan(3)
    await page.getByRole('heading', { name: 'Teller' }).getByRole('link').click()
    await page.getByRole('textbox', { name: /^string text/ }).fill('slow but sure')
    const pay = page.getByRole('button', { name: 'Pay 0.002 USDC and run' })
    // Until the scripts are loaded a press has no effect, and is repeated.
    while (await pay.isVisible()) {
      await pay.click({ timeout: 1_000 }).catch(() => undefined)
      await page.waitForTimeout(500)
    }
    await page.getByText('Paid', { exact: true }).waitFor()
    await page.goto('/jobs')
    await page.getByText('paid', { exact: true }).waitFor()
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'Teller' }).count()).toBe(1)
  })

  test('text typed before the scripts load is kept, and a press on Pay then loses nothing', async () => {
    const { page } = await scene.come()
    let letThrough = (): void => undefined
    const held = new Promise<void>(resolve => {
      letThrough = resolve
    })
    await page.route('**/*.js', async route => {
      await held
      await route.continue()
    })
    await page.goto(`/agents/${scene.web.agentId}`, { waitUntil: 'commit' })
    const field = page.getByRole('textbox', { name: /^string text/ })
    await field.fill('typed too early')
    await page.getByRole('button', { name: 'Pay 0.002 USDC and run' }).click({ noWaitAfter: true })
    letThrough()
    await page.getByText('15 / 40').waitFor()
    expect(await field.inputValue()).toBe('typed too early')
    expect(new URL(page.url()).search).toBe('')
    await page.getByRole('button', { name: 'Pay 0.002 USDC and run' }).click()
    await page.getByText('Paid', { exact: true }).waitFor()
    await page.getByRole('definition').filter({ hasText: /^3$/ }).first().waitFor()
  })

  test('a reader who pays at once waits for the test wallet, and is not asked for another', async () => {
    const { page } = await scene.come()
    let pays = (): void => undefined
    const hasPaid = new Promise<void>(resolve => {
      pays = resolve
    })
    await page.route('**/v1/local/faucet', async route => {
      await hasPaid
      await route.continue()
    })
    await page.goto(`/agents/${scene.web.agentId}`)
    await page.getByRole('textbox', { name: /^string text/ }).fill('in a hurry')
    await page.getByRole('button', { name: 'Pay 0.002 USDC and run' }).click()
    pays()
    await page.getByText('Paid', { exact: true }).waitFor()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  })

  test('invalid JSON is not sent as its previous valid value', async () => {
    const { page } = await scene.come()
    await page.goto(`/agents/${scene.web.agentId}`)
    await page.getByRole('button', { name: 'JSON' }).click()
    const field = page.getByRole('textbox', { name: 'Input as JSON' })
    await field.fill('{ "text": "one two" }')
    await field.fill('{ "text": "one two three"')
    await page.getByRole('button', { name: 'Pay 0.002 USDC and run' }).click()
    await page.getByText('Not valid JSON (line 1, column 26).').waitFor()
    expect(await page.evaluate(FOCUSED)).toBe('Input as JSON')
    await page.getByRole('button', { name: 'Form' }).click()
    await page.getByText('Not valid JSON (line 1, column 26).', { exact: false }).waitFor()
    expect(await page.getByRole('textbox', { name: /^string text/ }).inputValue()).toBe('one two')
    await page.getByRole('button', { name: 'JSON' }).click()
    expect(await field.inputValue()).toBe('{ "text": "one two three"')
    await field.fill('{ "text": "one two three" }')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Paid', { exact: true }).waitFor()
    await page.getByRole('definition').filter({ hasText: /^3$/ }).first().waitFor()
  })

  test('JSON that becomes invalid right before Pay is pressed is not sent as its previous valid value', async () => {
    const { page } = await scene.come()
    const orders: string[] = []
    page.on('request', request => {
      if (request.method() === 'POST') orders.push(new URL(request.url()).pathname)
    })
    await page.goto(`/agents/${scene.web.agentId}`)
    await page.getByRole('button', { name: 'JSON' }).click()
    await page.getByRole('textbox', { name: 'Input as JSON' }).fill('{ "text": "one two" }')
    await page.evaluate(BREAK_AND_SUBMIT)
    await page.getByText('Not valid JSON (line 1, column 26).').waitFor()
    expect(await page.evaluate(FOCUSED)).toBe('Input as JSON')
    await page.getByRole('button', { name: 'Pay 0.002 USDC and run' }).waitFor()
    expect(orders).not.toContain('/v1/jobs')
  })

  test('a refusal disappears as soon as its field changes, and a sample fills in the JSON too', async () => {
    const { page } = await scene.come()
    await page.goto(`/agents/${scene.web.agentId}`)
    await page.getByRole('button', { name: 'Pay 0.002 USDC and run' }).click()
    const refusal = page.getByText('text: is required')
    await refusal.waitFor()
    await page.getByRole('textbox', { name: /^string text/ }).fill('o')
    await refusal.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'JSON' }).click()
    await page.getByRole('textbox', { name: 'Input as JSON' }).fill('{')
    await page.getByRole('button', { name: 'Use sample input' }).click()
    const field = page.getByRole('textbox', { name: 'Input as JSON' })
    await expect.poll(() => field.inputValue()).toMatch(/^\{\n {2}"text": "./)
  })

  test('an agent is found, filled in and paid, and its receipt checked, with the keyboard alone', async () => {
    const { page } = await scene.come()
    await page.goto('/')
    await page.getByRole('heading', { name: 'Teller' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('teller')
    await page.getByText('1 agent', { exact: false }).first().waitFor()
    await tabTo(page, /^Teller$/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Teller' }).waitFor()
    await tabTo(page, /^string text/)
    await page.keyboard.type('keys and nothing else')
    await tabTo(page, /^Pay 0\.002 USDC/)
    await page.keyboard.press('Enter')
    await page.getByText('Paid', { exact: true }).waitFor()
    await tabTo(page, /^Check the signature$/)
    await page.keyboard.press('Enter')
    await page.getByText('Signed by this platform').waitFor()
  })

  test('shortcuts lead to pages, rows and agents, are listed, and are ordinary letters when they are switched off', async () => {
    const { page } = await scene.come()
    await page.goto('/receipts')
    await page.getByText('Test wallet').first().waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('j')
    await page.waitForURL('**/jobs')
    await page.keyboard.press('/')
    await page.waitForURL(`${scene.web.url}/`)
    await expect.poll(() => page.evaluate(FOCUSED)).toBe('Search agents')
    await page.keyboard.type('gj?')
    expect(await page.getByRole('searchbox').inputValue()).toBe('gj?')
    await page.goto('/')
    await page.getByText('Test wallet').first().waitFor()
    await page.keyboard.press('j')
    expect(await page.evaluate(FOCUSED)).toBe('Teller')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Teller' }).waitFor()
    await page.keyboard.press('Control+k')
    const sheet = page.getByRole('dialog')
    await sheet.getByRole('combobox').fill('tell')
    await sheet.getByRole('option', { name: 'Teller' }).waitFor()
    await sheet.getByRole('combobox').fill('theme')
    await sheet.getByRole('option', { name: 'Settings' }).waitFor()
    await sheet.getByRole('combobox').fill('check a')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/receipts')
    await page.keyboard.press('?')
    await page
      .getByRole('dialog', { name: 'Keyboard shortcuts' })
      .getByLabel('Use single-letter shortcuts')
      .uncheck()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('g')
    await page.keyboard.press('j')
    await page.waitForTimeout(300)
    expect(new URL(page.url()).pathname).toBe('/receipts')
  })

  test.each(['/', '/agents/1', '/flows', '/jobs', '/receipts', '/register', '/owner', '/sign-in'])(
    '%s at 200 % zoom and with text of twice the size needs no horizontal scrolling',
    async path => {
      // A window of 1280 CSS pixels at 200 % is one of 640.
      const { page } = await scene.come({ viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 })
      await page.goto(path)
      expect(await page.evaluate(WIDER)).toEqual([])
      await page.emulateMedia({ reducedMotion: 'reduce' })
      await page.evaluate(`document.documentElement.style.setProperty('font-size', '200%')`)
      expect(await page.evaluate(WIDER)).toEqual([])
    },
  )

  test('a screen reader finds the parts of the page by landmarks, headings and names', async () => {
    const { page } = await scene.come()
    for (const path of [
      '/',
      `/agents/${scene.web.agentId}`,
      '/flows',
      '/jobs',
      '/receipts',
      '/register',
      '/owner',
    ]) {
      await page.goto(path)
      const tree = await page.locator('body').ariaSnapshot()
      expect(tree, path).toMatch(/^- link "Skip to content"/)
      expect(tree.match(/^- banner/gm), path).toHaveLength(1)
      expect(tree.match(/^- main/gm), path).toHaveLength(1)
      expect(tree.match(/^- contentinfo/gm), path).toHaveLength(1)
      expect(tree.match(/heading .* \[level=1\]/g), path).toHaveLength(1)
      // Every control, field and image has a name.
      expect(tree, path).not.toMatch(
        /- (?:button|link|textbox|searchbox|combobox|img|figure|navigation|dialog)(?::|$)/m,
      )
    }
  })

  test('a screen reader announces the progress of a job', async () => {
    const { page } = await scene.come()
    await page.goto(`/agents/${scene.web.agentId}`)
    await page.getByRole('textbox', { name: /^string text/ }).fill('')
    await page.getByRole('button', { name: 'Pay 0.002 USDC and run' }).click()
    const field = page.getByRole('textbox', { name: /^string text/ })
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
    expect(await page.evaluate(FOCUSED)).toMatch(/^string text/)
    await field.fill('to be heard')
    await page.getByRole('button', { name: 'Pay 0.002 USDC and run' }).click()
    await page.getByText('Paid', { exact: true }).waitFor()
    // The outcome takes the focus, and is therefore read aloud.
    expect(await page.evaluate(FOCUSED)).toBe('Delivered and paid')
  })
})

/** The transferred bytes of a page, its style sheets and all other resources that it waits for, headers included. */
const BYTES_TO_READ = `[
  ...performance.getEntriesByType('navigation'),
  ...performance.getEntriesByType('resource').filter(one => one.renderBlockingStatus === 'blocking'),
].reduce((sum, one) => sum + one.transferSize, 0)`

/** The accessible name of the focused element, as far as labels, texts and attributes define it. */
/** Like a busy browser: the press is handled right after the typing. */
const BREAK_AND_SUBMIT = `(() => {
  const field = document.getElementById('json-input')
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set.call(field, '{ "text": "one two three"')
  field.dispatchEvent(new Event('input', { bubbles: true }))
  field.form.requestSubmit()
})()`

const FOCUSED = `(() => {
  const one = document.activeElement
  const label = one.labels?.[0]?.cloneNode(true)
  for (const image of label?.querySelectorAll('svg[aria-label]') ?? []) image.replaceWith(image.getAttribute('aria-label') + ' ')
  return (label?.textContent ?? one.getAttribute('aria-label') ?? one.textContent ?? '').replace(/\\s+/g, ' ').trim()
})()`

const WIDER = `document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('#root *')].filter(one => one.getBoundingClientRect().right > innerWidth + 1 && one.closest('pre, .scroll') === null).slice(-2).map(one => one.outerHTML.slice(0, 200))`
