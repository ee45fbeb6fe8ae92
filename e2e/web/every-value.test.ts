import { createProject, type Project, type RunningCli } from '@farebox/cli/src/testing/dev-process'
import { findChromium, startBrowser } from '@farebox/platform/src/test-setup/browser/browser'
import { compileInput } from '@farebox/protocol/fields/compile'
import type { FieldMap, JsonObject, JsonValue } from '@farebox/protocol/fields/field'
import { mapOf, takenInputs } from '@farebox/protocol/src/test-setup/any-fields'
import * as fc from 'fast-check'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillForm } from '../stage/web/fill-form.ts'
import { paste } from '../stage/web/paste.ts'

const chromium = findChromium()

const BY_HAND: readonly FieldMap[] = [
  {
    suffix: { type: 'string', required: true },
    filter: { type: 'object', required: true, properties: { lang: { type: 'string' } } },
  },
  { tags: { type: 'array', items: { type: 'string' } }, day: { type: 'string', format: 'date' } },
  { note: { type: 'string', maxLength: 20 }, choice: { type: 'string', enum: ['', '1', 'two'] } },
  { sizes: { type: 'array', items: { type: 'number' }, required: true }, more: { type: 'object' } },
  { codes: { type: 'array', items: { type: 'string', pattern: '^\\d{3}$' } } },
]
const SCHEMAS: readonly FieldMap[] = [
  ...BY_HAND,
  ...fc
    .sample(mapOf(3), { seed: 30, numRuns: 60 })
    .filter(fields => takenInputs(fields).some(input => Object.keys(input).length > 0))
    .slice(0, 6),
]

function agentConfig(): string {
  const capability = (fields: FieldMap): object => ({
    description: 'A form.',
    pricing: { model: 'per_job', amount: '0.002', currency: 'USDC' },
    input_schema: fields,
    output_schema: { got: { type: 'string' } },
  })
  return JSON.stringify({
    service_version: '1.0',
    name: 'Forms',
    description: 'Takes what it declares.',
    wallet: '${AGENT_WALLET_ADDRESS}',
    max_deadline_seconds: 300,
    capabilities: Object.fromEntries(SCHEMAS.map((fields, at) => [`form_${at}`, capability(fields)])),
  })
}

describe.skipIf(chromium === undefined)('the form of a capability', () => {
  let browser: Browser
  let project: Project
  let dev: RunningCli
  let pageUrl: string
  let page: Page

  beforeAll(async () => {
    browser = await startBrowser(chromium ?? '')
    const handlers = SCHEMAS.map((_, at) => `  form_${at}: echo,\n`).join('')
    project = await createProject({
      'agent.json': agentConfig(),
      'handlers.js': `const echo = input => ({ got: JSON.stringify(input) })\nexport default {\n${handlers}}\n`,
    })
    dev = project.run(['dev', '--port', '0', '--page-port', '0'])
    pageUrl = / page +(http:\S+)/.exec(await dev.says(/try it/))?.[1] ?? ''
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
    })
    context.setDefaultTimeout(0)
    page = await context.newPage()
  })
  afterAll(async () => {
    await browser?.close()
    dev?.signal('SIGINT')
    await dev?.ended
    await project?.clear()
  })

  const form = (): Locator => page.locator('form.try > div').first().locator(':scope > div')
  const view = (name: 'Form' | 'JSON') =>
    form().locator('h2').getByRole('button', { name, exact: true }).click()
  const json = () => page.getByLabel('Input as JSON')

  async function open(at: number): Promise<void> {
    await page.goto(`${pageUrl}?capability=form_${at}`)
    await page.getByRole('heading', { name: /^Input/ }).waitFor()
  }

  async function readInput(): Promise<JsonValue> {
    await view('JSON')
    const input = JSON.parse(await json().inputValue()) as JsonValue
    await view('Form')
    return input
  }

  /** The handler's input. */
  async function run(): Promise<JsonValue> {
    await page.getByRole('button', { name: /^Run/ }).click()
    const got = page.getByRole('definition').filter({ hasText: /^\{/ })
    return JSON.parse(await got.innerText()) as JsonValue
  }

  const CASES = SCHEMAS.flatMap((fields, at) =>
    takenInputs(fields).map(input => [at, JSON.stringify(fields), JSON.stringify(input)] as const),
  )

  test.each(CASES)('form %i, %s, makes %s', async (at, _, text) => {
    const fields = SCHEMAS[at] ?? {}
    const input = JSON.parse(text) as JsonObject
    await open(at)
    await fillForm(form(), fields, input)
    expect(compileInput(fields)((await readInput()) as JsonObject)).toEqual(compileInput(fields)(input))
    await view('JSON')
    await json().fill(text)
    expect(await readInput()).toEqual(input)
  })

  test('Enter goes to the next entry, pasted lines become entries, and no blank entry is sent', async () => {
    await open(1)
    const entries = form().locator('.entries textarea')
    await entries.first().fill('red')
    await entries.first().press('Enter')
    await page.keyboard.type('green')
    await page.keyboard.press('Enter')
    expect(await readInput()).toEqual({ tags: ['red', 'green'] })
    await page.getByRole('button', { name: 'Remove tags 1' }).click()
    await paste(entries.last(), 'red \n\n blue\r\n')
    expect(await readInput()).toEqual({ tags: ['green', 'red', 'blue'] })
    await entries.first().fill('of two')
    await entries.first().press('Shift+Enter')
    await page.keyboard.type('lines')
    expect(await run()).toEqual({ tags: ['of two\nlines', 'red', 'blue'] })
  })

  test('the entry that is refused is marked, with the reason below the list', async () => {
    await open(4)
    const entries = form().locator('.entries textarea')
    await entries.nth(0).fill('123')
    await entries.nth(1).fill('45')
    await page.getByRole('button', { name: /^Run/ }).click()
    await form().getByText('codes[1]: must match the pattern').waitFor()
    const marked = await entries.evaluateAll(all =>
      all.map(one => (one as unknown as { ariaInvalid: string | null }).ariaInvalid),
    )
    expect(marked).toEqual(['false', 'true', 'false'])
  })

  test('an entry that cannot be empty is removed when the focus leaves the list, not before', async () => {
    await open(3)
    const entries = form().locator('.entries textarea')
    for (const [at, size] of ['1', '2', '3'].entries()) await entries.nth(at).fill(size)
    await entries.nth(0).fill('')
    await entries.nth(1).focus()
    expect(await entries.nth(1).inputValue()).toBe('2')
    await form().locator('textarea.mono').focus()
    await expect.poll(() => entries.count()).toBe(3)
    expect(await readInput()).toEqual({ sizes: ['2', '3'] })
  })

  test('an incomplete date is refused at its field, and nothing is sent', async () => {
    await open(1)
    const day = form().locator('input[type="date"]')
    await day.focus()
    await page.keyboard.type('0203')
    await page.keyboard.press('Enter')
    const refusal = 'day: must be a complete date, or empty'
    await page.getByText(refusal).waitFor()
    expect(await day.getAttribute('aria-invalid')).toBe('true')
    expect(await page.getByRole('heading', { name: 'Job' }).count()).toBe(0)
    await page.keyboard.type('2026')
    await page.getByText(refusal).waitFor({ state: 'detached' })
    expect(await run()).toEqual({ day: '2026-02-03' })
  })

  test('a required empty value can be set', async () => {
    await open(0)
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.getByText('suffix: is required').first().waitFor()
    await page.getByRole('button', { name: 'Use empty text' }).click()
    await page.getByRole('button', { name: 'Use an empty object' }).click()
    expect(await run()).toEqual({ suffix: '', filter: {} })
    await page.getByRole('button', { name: 'Leave it out' }).first().click()
    expect(await readInput()).toEqual({ filter: {} })
  })
})
