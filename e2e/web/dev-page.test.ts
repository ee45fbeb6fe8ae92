import { createProject, type Project, type RunningCli } from '@farebox/cli/src/testing/dev-process'
import { findChromium, startBrowser } from '@farebox/platform/src/test-setup/browser/browser'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findViolations } from '../stage/web/find-violations.ts'
import { watchPage } from '../stage/web/visitor.ts'

const chromium = findChromium()

const COUNT = {
  description: 'Words, counted.',
  pricing: { model: 'per_job', amount: '0.002', currency: 'USDC' },
  input_schema: {
    text: { type: 'string', required: true, minLength: 1, maxLength: 40 },
    top: { type: 'integer', minimum: 1, maximum: 50 },
  },
  output_schema: { words: { type: 'integer', required: true }, text: { type: 'string' } },
}
const DRAW = {
  ...COUNT,
  description: 'A picture.',
  input_schema: {},
  output_schema: { picture: { type: 'string', required: true } },
}

function agentConfig(count: object = COUNT): string {
  const config = {
    service_version: '1.0',
    name: 'Teller',
    description: 'Counts words.',
    wallet: '${AGENT_WALLET_ADDRESS}',
    max_deadline_seconds: 300,
    capabilities: { count, draw: DRAW },
  }
  return JSON.stringify(config, null, 2)
}

/** Code that would run if any of it were made into an element. */
const HOSTILE = '<img src=x onerror="window.hostile = 1"><script>window.hostile = 2</script>'
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20" onload="window.hostile = 3"><script>window.hostile = 4</script><rect width="40" height="20"/></svg>`

const HANDLERS = `
export default {
  count: ({ text }) => {
    if (text === 'hostile') {
      console.log('\\u001b[2J\\u001b[31m' + ${JSON.stringify(HOSTILE)})
      return { words: 1, text: ${JSON.stringify(HOSTILE)} }
    }
    if (text === 'throw') throw new Error('nothing to count')
    if (text === 'wrong') return { words: 'many' }
    return { words: text.split(' ').length, text }
  },
  draw: () => ({ picture: ${JSON.stringify(SVG)} }),
}
`

// Each of them starts an agent process for every save, which takes a while on a busy machine.
describe.skipIf(chromium === undefined)('the page of farebox dev', () => {
  let browser: Browser
  let project: Project
  let dev: RunningCli
  let page: Page
  let pageUrl: string
  let agentUrl: string
  const troubles: string[] = []

  beforeAll(async () => {
    browser = await startBrowser(chromium ?? '')
  })
  afterAll(() => browser?.close())
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(await page.locator('body').innerText(), dev.output())
    await page.context().close()
    // If it were ended at once, a chain could still be writing its state.
    dev.signal('SIGINT')
    await dev.ended
    await project.clear()
    expect(troubles.splice(0)).toEqual([])
  })

  async function open(words: readonly string[] = []): Promise<void> {
    project = await createProject({ 'agent.json': agentConfig(), 'handlers.js': HANDLERS })
    dev = project.run(['dev', '--port', '0', '--page-port', '0', ...words])
    const heading = await dev.says(/try it/)
    pageUrl = / page +(http:\S+)/.exec(heading)?.[1] ?? ''
    agentUrl = /http:\S+/.exec(heading)?.[0] ?? ''
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
    })
    context.setDefaultTimeout(0)
    context.on('page', one => watchPage(one, pageUrl, troubles))
    page = await context.newPage()
    await page.goto(pageUrl)
    await page.getByRole('heading', { name: 'Teller' }).waitFor()
  }

  const text = () => page.getByRole('textbox', { name: /^string text/ })
  const status = () => page.getByRole('heading', { name: 'Job' }).locator('..').getByRole('status')

  async function run(input: string): Promise<void> {
    await text().fill(input)
    await text().press('Control+Enter')
  }

  test('runs a job: its output by type, its timings and the lines that it logged', async () => {
    await open()
    await run('exact fare per ride')
    await page.getByRole('definition').filter({ hasText: /^4$/ }).waitFor()
    expect(await status().innerText()).toMatch(/^200\s*\d/)
    await page
      .getByRole('listitem')
      .filter({ hasText: /Input valid/ })
      .waitFor()
    await page
      .getByRole('listitem')
      .filter({ hasText: /Responded with 200/ })
      .waitFor()
    const log = page.getByRole('list', { name: 'Log lines' })
    await log.getByText('execute capability=count').waitFor()
    await log.getByText('completed', { exact: true }).waitFor()
    // The focus stays in the field for the next input.
    expect(await page.evaluate('document.activeElement.tagName')).toMatch(/INPUT|TEXTAREA/)
    await page.getByText('Raw response').click()
    await page.getByText(/^\{"service_version":"1.0".*"words":4/).waitFor()
  })

  test('an input that the agent refuses is shown with the agent’s own words, at its field', async () => {
    await open()
    await run('x'.repeat(41))
    await page.getByRole('heading', { name: 'Input rejected 400 validation' }).waitFor()
    const refusal = 'text: must be at most 40 characters, got 41'
    await page.getByRole('alert').getByText(refusal, { exact: true }).waitFor()
    await page.getByRole('textbox', { description: refusal }).waitFor()
    expect(await text().getAttribute('aria-invalid')).toBe('true')
    await text().fill('short')
    await text().blur()
    await expect.poll(() => text().getAttribute('aria-invalid')).toBe('false')
    await run('throw')
    await page.getByRole('heading', { name: 'Not delivered 500 internal' }).waitFor()
    await page.getByText(/^handler error: nothing to count/).waitFor()
    await run('wrong')
    await page.getByText(/Wrong output\. words: must be an integer/).waitFor()
    await page
      .getByText(
        'The agent returned 200 only because this is dev mode. In production, it will return 500 and will not be paid.',
      )
      .waitFor()
  })

  test('outputs and log lines are text, and an SVG is an image in which nothing runs', async () => {
    await open()
    await run('hostile')
    await page.getByRole('definition').filter({ hasText: HOSTILE }).waitFor()
    await page.getByRole('list', { name: 'Log lines' }).getByText(HOSTILE).waitFor()
    await page.getByRole('link', { name: /draw/ }).click()
    await page.getByRole('button', { name: /^Run/ }).click()
    const image = page.getByRole('img', { name: 'Image from the agent' })
    await image.waitFor()
    expect(await image.getAttribute('src')).toMatch(/^blob:/)
    await expect
      .poll(() => page.evaluate("document.querySelector('.picture img').naturalWidth"))
      .toBeGreaterThan(0)
    expect(await page.evaluate('window.hostile')).toBeUndefined()
  })

  test('follows each save: fields come and go, typed text stays, a broken file is reported', async () => {
    await open()
    await text().fill('kept')
    await page.getByRole('textbox', { name: /^integer top/ }).fill('7')
    const { top, ...others } = COUNT.input_schema
    const language = { type: 'string', maxLength: 8 }
    await project.save('agent.json', agentConfig({ ...COUNT, input_schema: { ...others, language } }))
    await page.getByRole('textbox', { name: /^string language/ }).waitFor()
    await expect.poll(() => page.getByRole('textbox', { name: /^integer top/ }).count()).toBe(0)
    expect(await text().inputValue()).toBe('kept')
    await page.getByText('agent.json changed').first().waitFor()

    await project.save('agent.json', agentConfig().replace('"0.002"', '"0,002"'))
    const problem = page.getByRole('alert').filter({ hasText: 'still serving the last good version' })
    await problem.waitFor()
    expect(await problem.innerText()).toMatch(
      /agent\.json:\d+:\d+\s+capabilities\.count\.pricing\.amount: .*0,002/,
    )
    await page.getByText('Serving an older version').waitFor()
    await run('still here')
    await page.getByRole('definition').filter({ hasText: /^2$/ }).waitFor()

    await project.save('agent.json', agentConfig({ ...COUNT, input_schema: { ...others, top, language } }))
    await problem.waitFor({ state: 'detached' })
    await page.getByText('Serving', { exact: true }).waitFor()
    expect(await page.getByRole('textbox', { name: /^integer top/ }).inputValue()).toBe('7')

    await text().fill('again')
    await page.getByRole('checkbox', { name: 'Run again on each save' }).check()
    await project.save('handlers.js', HANDLERS.replace('.length,', '.length + 40,'))
    await page.getByRole('definition').filter({ hasText: /^41$/ }).waitFor()
    // A start counts as a save: its run would be in progress when the next one is requested.
    await page.getByRole('checkbox', { name: 'Run again on each save' }).uncheck()

    dev.signal('SIGINT')
    await page.getByText('farebox dev has stopped.').waitFor()
    await dev.ended
    dev = project.run(['dev', '--port', '0', '--page-port', new URL(pageUrl).port])
    await page.getByText('Serving', { exact: true }).waitFor()
    expect(await text().inputValue()).toBe('again')
    await run('and on')
    await page.getByRole('definition').filter({ hasText: /^42$/ }).waitFor()
  })

  test('no other page can read it or run a job, and the agent keeps its three routes', async () => {
    await open()
    const tried = await page.context().newPage()
    troubles.splice(0)
    // Another port is another origin of the same site: here the agent's own.
    await tried.goto(`${agentUrl}/health`)
    const outcomes = await tried.evaluate(`(async () => {
      const job = JSON.stringify({ job_id: crypto.randomUUID(), capability: 'count', input: { text: 'x' } })
      const attempts = [
        () => fetch('${pageUrl}/run', { method: 'POST', headers: { 'content-type': 'application/json' }, body: job }),
        () => fetch('${pageUrl}/run', { method: 'POST', mode: 'no-cors', body: job }).then(() => { throw new Error('opaque') }),
        () => fetch('${pageUrl}/events'),
        () => new Promise((resolve, reject) => {
          const source = new EventSource('${pageUrl}/events')
          source.onopen = resolve
          source.onerror = () => { source.close(); reject(new Error('refused')) }
        }),
      ]
      return Promise.all(attempts.map(attempt => attempt().then(() => 'allowed', () => 'refused')))
    })()`)
    expect(outcomes).toEqual(['refused', 'refused', 'refused', 'refused'])
    expect(dev.output()).not.toContain('execute job=')
    for (const path of ['/', '/events', '/run']) expect((await fetch(`${agentUrl}${path}`)).status).toBe(404)
    await tried.close()
    troubles.splice(0)
  })

  test('with --paid each job is paid with test money, and its ticket shows the settlement', async () => {
    await open(['--paid'])
    await text().fill('exact fare per ride')
    const ticket = page.getByRole('region', { name: 'Job ticket' })
    const settled = ticket.getByText('0.002USDC settled')
    // A verification has five seconds (PAY-20): on a busy machine it may take more, and the job is paid for by pressing
    // again.
    const unverified = page.getByText('the payment could not be verified now, nothing was charged')
    for (let tried = 0; tried < 20 && !(await settled.isVisible()); tried += 1) {
      const taken = page.waitForResponse(answer => answer.url() === `${pageUrl}/run`)
      await page.getByRole('button', { name: 'Pay 0.002 USDC and run' }).click()
      await taken
      await settled.or(unverified).first().waitFor()
    }
    await settled.waitFor()
    await ticket.getByText(/999\.998000 USDC \(−0\.002\)/).waitFor()
    await ticket.getByText(/0\.002000 USDC \(\+0\.002\)/).waitFor()
    for (const step of ['Asked for the price', 'Signed', 'Verified', 'Input valid', 'Ran', 'Settled'])
      await page.getByRole('listitem').filter({ hasText: step }).first().waitFor()
    await run('x'.repeat(41))
    await ticket.getByText('Not charged').waitFor()
    for (const place of [page.getByRole('heading'), ticket, page.getByRole('listitem')])
      await place.filter({ hasText: 'Input rejected' }).waitFor()
  })

  test.each([1280, 320])('meets accessibility rules and fits: %i px', async width => {
    await open()
    await page.setViewportSize({ width, height: 800 })
    const check = async (): Promise<void> => {
      expect(await findViolations(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    }
    await check()
    await run('one two')
    await page.getByText('Responded with 200', { exact: true }).waitFor()
    await check()
    await run('')
    await page.getByRole('heading', { name: 'Input rejected 400 validation' }).waitFor()
    await project.save('agent.json', agentConfig().replace('"0.002"', '"0,002"'))
    await page.getByText('Serving an older version').waitFor()
    await check()
  })
})
