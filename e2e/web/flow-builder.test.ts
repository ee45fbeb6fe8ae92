import { readFile } from 'node:fs/promises'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { registerAgent } from '@farebox/local/src/listing/register-agent'
import type { CapabilitiesAnswer } from '@farebox/platform-api/flows/capabilities'
import { findChromium } from '@farebox/platform/src/test-setup/browser/browser'
import { signInBrowser } from '@farebox/platform/src/test-setup/browser/sign-in-browser'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { carryWire, drawWire, fit, importFlow, portOf } from '../stage/web/builder.ts'
import { copy, dropFile, paste } from '../stage/web/paste.ts'
import { findViolations } from '../stage/web/find-violations.ts'
import { createWebScene } from '../stage/web/web-scene.ts'

const OWNER = TEST_KEYS.secondPayer
const WIDTHS = [320, 390, 768, 1024, 1280, 1920]
const DESKTOP = { viewport: { width: 1_440, height: 900 } }

const chromium = findChromium()

describe.skipIf(chromium === undefined)('a flow that is built in a browser', () => {
  const scene = createWebScene(chromium)

  beforeAll(async () => {
    const { stage, facilitator, url } = scene.web
    const secret = await stage.secret(facilitator, [TEST_KEYS.agent.address])
    for (const name of ['summary', 'qr-code']) {
      const config = `examples/${name}/agent.json`
      const agent = await stage.agent({ config, facilitator, secret, name, store: 'memory:' })
      await registerAgent({ url }, stage.chain, { url: agent.url, wallet: TEST_KEYS.agent.address })
    }
  })

  /** A job of a capability as it is now. */
  async function jobOf(agent: string, capability: string): Promise<Record<string, unknown>> {
    const answer = await fetch(`${scene.web.url}/v1/capabilities?limit=50`)
    const { capabilities } = (await answer.json()) as CapabilitiesAnswer
    const found = capabilities.find(one => one.pinned?.agent_name === agent && one.capability === capability)
    if (found === undefined) throw new Error(`${agent} offers no ${capability}`)
    return { kind: 'job', agent_id: found.agent_id, capability, pinned: structuredClone(found.pinned) }
  }

  const wire = (from: string, to: string): unknown => {
    const [[source, out], [target, into]] = [from.split('.'), to.split('.')]
    return { from: { step: source, port: out }, to: { step: target, port: into } }
  }

  /** A text is shortened, and a template of it becomes a QR code. */
  async function card(): Promise<Record<string, unknown>> {
    return {
      flow_version: 1,
      name: 'Card',
      inputs: { article: { type: 'string', required: true, minLength: 20, maxLength: 50_000 } },
      outputs: ['code'],
      steps: {
        summary: await jobOf('Summary', 'summarize'),
        line: { kind: 'template', text: 'In short: {summary}' },
        qr: await jobOf('QR code', 'encode'),
      },
      wires: [
        wire('input.article', 'summary.text'),
        wire('summary.summary', 'line.summary'),
        wire('line.text', 'qr.text'),
        wire('qr.svg', 'output.code'),
      ],
    }
  }

  async function openNew(page: Page): Promise<void> {
    await page.goto('/flows/new')
    await page.getByRole('region', { name: 'Canvas' }).getByText('Flow inputs').waitFor()
  }

  /** The position of the focused step, in pixels of the canvas. */
  async function placeOf(page: Page): Promise<{ readonly x: number; readonly y: number }> {
    const transform = String(await page.evaluate('document.activeElement.style.transform'))
    const [x = Number.NaN, y = Number.NaN] = (transform.match(/-?[\d.]+(?=px)/g) ?? []).map(Number)
    return { x, y }
  }

  const runButton = (page: Page) => page.getByRole('button', { name: /^Run, / }).filter({ visible: true })

  test('by mouse: three agents, a branch, an adapter that turns a number into text, an approval', async () => {
    const { page } = await scene.come(DESKTOP)
    await openNew(page)
    const canvas = page.getByRole('region', { name: 'Canvas' })
    const library = page.getByRole('complementary', { name: 'Library' })
    for (const [index, name] of [/^Summary/, /^Teller.*count/, /^QR code/].entries()) {
      await library.getByRole('button', { name }).dragTo(canvas, {
        targetPosition: { x: 180 + 260 * index, y: 420 },
      })
      await fit(page)
    }
    await drawWire(page, portOf(page, 'Summary', 'out', 'summary'), portOf(page, 'Teller', 'in', 'text'))
    await drawWire(page, portOf(page, 'Teller', 'out', 'words'))
    const picker = page.getByRole('dialog', { name: 'Add a step' })
    await picker.getByRole('combobox').fill('branch')
    await picker.getByRole('option', { name: /^Branch/ }).click()
    await fit(page)
    await drawWire(page, portOf(page, 'Branch', 'out', 'then'))
    await picker.getByRole('combobox').fill('approval')
    await picker.getByRole('option', { name: /^Approval/ }).click()
    await fit(page)
    await drawWire(page, portOf(page, 'Approval', 'out', 'approved'))
    await picker.getByRole('combobox').fill('template')
    await picker.getByRole('option', { name: /^Template/ }).click()
    await fit(page)
    // When zoomed out wires have no tags, and the zoom depends on the positions of the steps.
    await page.getByRole('button', { name: /, reset to 100%$/ }).click()
    await expect.poll(() => page.locator('.wire-tag').filter({ hasText: 'as text' }).count()).toBe(1)
    await fit(page)
    await drawWire(page, portOf(page, 'Template', 'out', 'text'), portOf(page, 'QR code', 'in', 'text'))
    await drawWire(page, portOf(page, 'QR code', 'out', 'svg'))
    await picker.getByRole('option', { name: /^Flow output/ }).click()
    expect(await runButton(page).getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('button', { name: 'Ask for “text” when the flow runs' }).click()
    await expect.poll(() => runButton(page).getAttribute('aria-disabled')).toBe('false')
    expect(await runButton(page).innerText()).toBe('Run, 0.017 USDC')
    await page.getByText('from 0.012, depending on the branch').waitFor()
  })

  test('by keyboard alone: the same steps are added, connected, moved, undone and removed', async () => {
    const { page } = await scene.come(DESKTOP)
    await openNew(page)
    const add = async (typed: string, option: RegExp): Promise<void> => {
      await page.locator('.react-flow__node').first().focus()
      await page.keyboard.press('a')
      const picker = page.getByRole('dialog', { name: 'Add a step' })
      await page.keyboard.type(typed)
      await picker.getByRole('option', { name: option }).first().waitFor()
      const at = await picker
        .getByRole('option')
        .evaluateAll(
          (options, found) => options.findIndex(one => new RegExp(found).test(one.textContent ?? '')),
          option.source,
        )
      for (let index = 0; index < at; index += 1) await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await picker.waitFor({ state: 'detached' })
    }
    await add('summarize', /^Summary/)
    await add('count', /^Teller\s*count/)
    await add('branch', /^Branch/)
    await add('approval', /^Approval/)
    await add('template', /^Template/)
    await add('encode', /^QR code/)
    await carryWire(page, portOf(page, 'Summary', 'out', 'summary'), /^text, .* input of Teller/)
    await carryWire(page, portOf(page, 'Teller', 'out', 'words'), /^value, .* input of Branch/)
    await carryWire(page, portOf(page, 'Branch', 'out', 'then'), /^value, .* input of Approval/)
    await carryWire(page, portOf(page, 'Approval', 'out', 'approved'), /^value, .* input of Template/)
    await carryWire(page, portOf(page, 'Template', 'out', 'text'), /^text, .* input of QR code/)
    await expect.poll(() => page.locator('.react-flow__edge').count()).toBe(5)
    const text = portOf(page, 'Summary', 'in', 'text')
    await text.focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('a')
    await page.getByRole('option', { name: /^Flow input/ }).waitFor()
    await page.keyboard.type('flow input')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => text.getAttribute('aria-label'))
      .toBe('text, string, required, input of Summary, fed by flow input text')
    await expect.poll(() => runButton(page).getAttribute('aria-disabled')).toBe('false')

    const branch = page.locator('.react-flow__node[aria-label^="Branch"]')
    await branch.focus()
    const placed = await placeOf(page)
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('ArrowRight')
    expect(await placeOf(page)).toEqual({ x: placed.x + 20, y: placed.y + 100 })
    await page.keyboard.press('Delete')
    await branch.waitFor({ state: 'detached' })
    await expect.poll(() => page.locator('.react-flow__edge').count()).toBe(4)
    await page.keyboard.press('Control+z')
    await branch.waitFor()
    await expect.poll(() => page.locator('.react-flow__edge').count()).toBe(6)
    await page.keyboard.press('o')
    await page.getByRole('heading', { name: 'Steps' }).waitFor()
  })

  test('a new step uses the unused outputs of the previous step, is placed before the outputs, and names the flow', async () => {
    const { page } = await scene.come(DESKTOP)
    await openNew(page)
    const library = page.getByRole('complementary', { name: 'Library' })
    for (const name of [/^Summary/, /^QR code/]) {
      await library.getByRole('button', { name }).click()
      await page.locator('.react-flow__node', { hasText: name }).waitFor()
    }
    const left = async (name: string): Promise<number> =>
      (await page.locator(`.react-flow__node[aria-label^="${name}"]`).boundingBox())?.x ?? Number.NaN
    expect(await left('QR code')).toBeGreaterThan(await left('Summary'))
    expect(await left('Flow outputs')).toBeGreaterThan(await left('QR code'))
    expect(await page.getByRole('textbox', { name: 'Flow name' }).inputValue()).toBe('Summary, then QR code')
    const finding = page.locator('.finding.is-error', { hasText: 'QR code' })
    expect((await finding.getByRole('button').allInnerTexts()).slice(1)).toEqual([
      'Use “summary” from Summary',
      'Ask for “text” when the flow runs',
      'Use “kept” from Summary',
      'Always use…',
    ])
    await finding.getByRole('button', { name: 'Always use…' }).click()
    const value = page.getByRole('dialog', { name: 'text of QR code' })
    await value.getByRole('textbox').fill('https://example.org')
    await value.getByRole('button', { name: 'Done' }).click()
    await finding.waitFor({ state: 'detached' })
  })

  test('a file is opened beside the current flow, which does not change', async () => {
    const { page } = await scene.come(DESKTOP)
    await openNew(page)
    await importFlow(page, { ...(await card()), name: 'First' })
    await page.getByRole('region', { name: 'Canvas' }).getByText('In short').waitFor()
    const first = new URL(page.url()).pathname
    await importFlow(page, { ...(await card()), name: 'Second' })
    await page.getByText('The file was imported as a new flow.').waitFor()
    expect(new URL(page.url()).pathname).not.toBe(first)
    await page.goto('/flows')
    await page.getByRole('link', { name: 'First' }).waitFor()
    await page.getByRole('link', { name: 'Second' }).waitFor()
  })

  test('on a phone there is a way back, and each problem comes with its buttons', async () => {
    const { page } = await scene.come({ viewport: { width: 390, height: 844 } })
    await page.goto('/flows/new')
    await page.getByRole('button', { name: 'Add a step' }).click()
    await page.getByRole('option', { name: /^Summary/ }).click()
    await page.getByRole('heading', { level: 3, name: /Summary/ }).waitFor()
    await page.getByRole('button', { name: '1 problem to fix' }).filter({ visible: true }).click()
    expect(await page.evaluate('document.activeElement.textContent')).toBe(
      'Ask for “text” when the flow runs',
    )
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { level: 3, name: /Summary/ }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Redo' }).click()
    await page.getByRole('heading', { level: 3, name: /Summary/ }).waitFor()
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('button', { name: 'Make a copy' }).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Tidy up' }).count()).toBe(0)
  })

  test('a new flow is stored in this browser at once, and is there after a reload', async () => {
    const { page } = await scene.come(DESKTOP)
    await openNew(page)
    await importFlow(page, await card())
    await page.getByRole('region', { name: 'Canvas' }).getByText('In short').waitFor()
    await page.getByRole('textbox', { name: 'Flow name' }).fill('My card')
    await page.getByText(/^Saved in this browser/).waitFor()
    await page.reload()
    await page.getByRole('region', { name: 'Canvas' }).getByText('In short').waitFor()
    expect(await page.getByRole('textbox', { name: 'Flow name' }).inputValue()).toBe('My card')
    await page.goto('/flows')
    await page.getByRole('link', { name: 'My card' }).click()
    await page.getByRole('region', { name: 'Canvas' }).getByText('In short').waitFor()
  })

  test('a change right before the tab is closed is listed, and is there when the flow is opened again', async () => {
    const { page, context } = await scene.come(DESKTOP)
    await openNew(page)
    await page.getByRole('textbox', { name: 'Flow name' }).fill('Left in a hurry')
    await page.close({ runBeforeUnload: true })
    const later = await context.newPage()
    await later.goto('/flows')
    await later.getByRole('link', { name: 'Left in a hurry' }).click()
    await expect
      .poll(() => later.getByRole('textbox', { name: 'Flow name' }).inputValue())
      .toBe('Left in a hurry')
  })

  test('for a signed-in reader the flow is saved on the platform, and two versions are never merged', async () => {
    const { page, context } = await scene.come({ ...DESKTOP })
    await signInBrowser(context, scene.web.url, OWNER.privateKey)
    await openNew(page)
    await importFlow(page, await card())
    await page.getByText(/^Saved \d\d:\d\d/).waitFor()
    const headers = { origin: scene.web.url }
    const { flows } = (await (await context.request.get('/v1/flows')).json()) as {
      readonly flows: readonly { readonly flow_id: string }[]
    }
    const path = `/v1/flows/${flows[0]?.flow_id ?? ''}`
    const saved = (await (await context.request.get(path)).json()) as Record<string, unknown>
    const theirs = { ...(saved['flow'] as object), name: 'Theirs' }
    await context.request.put(path, { headers, data: { flow: theirs, revision: saved['revision'] } })
    await page.getByRole('textbox', { name: 'Flow name' }).fill('Mine')
    await page.getByText('Another version of this flow was saved').waitFor()
    await page.getByRole('button', { name: /^Open theirs/ }).click()
    await expect.poll(() => page.getByRole('textbox', { name: 'Flow name' }).inputValue()).toBe('Theirs')
    await page.goto('/flows')
    await page.getByRole('link', { name: 'Mine (copy)' }).waitFor()
  })

  test('a file that is not a flow is refused with the field and the reason; the current flow stays', async () => {
    const { page } = await scene.come(DESKTOP)
    await openNew(page)
    await importFlow(page, await card())
    await page.getByRole('region', { name: 'Canvas' }).getByText('In short').waitFor()
    await importFlow(page, { ...(await card()), name: 7 })
    await page.getByText(/^name: /).waitFor()
    await page.keyboard.press('Escape')
    await importFlow(page, '{"flow_version": 1')
    await page.getByText('The content is not valid JSON.').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('.react-flow__edge').count()).toBe(4)
  })

  test('pasted or dropped content is added in any format, or a sentence says why it is not', async () => {
    const { page } = await scene.come(DESKTOP)
    await openNew(page)
    const canvas = page.getByRole('region', { name: 'Canvas' })
    const nodes = () => page.locator('.react-flow__node[aria-label^="Summary"]').count()
    await paste(canvas, JSON.stringify(await card(), null, 2))
    await expect.poll(nodes).toBe(1)
    await paste(canvas, 'eggs, milk')
    await page.getByText('Nothing was pasted. The content is not valid JSON.').waitFor()
    await paste(canvas, JSON.stringify({ ...(await card()), name: 7 }))
    await page.getByText(/^Nothing was pasted\. The content is not a valid flow: name: /).waitFor()
    await dropFile(canvas, 'flow.json', JSON.stringify(await card(), null, 2))
    await expect.poll(nodes).toBe(2)
    expect(await page.getByText(/^Nothing was/).count()).toBe(0)
    await dropFile(canvas, 'notes.txt', 'eggs, milk')
    await page.getByText(/^Nothing was added\./).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/flows\//)
  })

  test('a secret is neither in an exported file nor in the clipboard, but pasted again on its own page', async () => {
    const { page } = await scene.come(DESKTOP)
    await openNew(page)
    const key = { kind: 'constant', value: 'not for others', secret: ['value'] }
    await importFlow(page, {
      flow_version: 1,
      name: 'Key',
      inputs: {},
      outputs: [],
      steps: { key },
      wires: [],
    })
    const nodes = page.locator('.react-flow__node').filter({ hasText: 'not for others' })
    await nodes.first().click()
    const copied = await copy(nodes.first())
    expect(JSON.parse(copied)).toMatchObject({ steps: { key: { value: null, secret: ['value'] } } })
    await paste(page.getByRole('region', { name: 'Canvas' }), copied)
    await expect.poll(() => nodes.count()).toBe(2)
    await page.getByRole('button', { name: 'More', exact: true }).click()
    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as a file, without secrets' }).click()
    const exported = await readFile((await (await file).path()) ?? '', 'utf8')
    expect(exported).not.toContain('not for others')
    expect(JSON.parse(exported)).toMatchObject({ name: 'Key', steps: { key: { value: null } } })
  })

  test('wires without a target are kept, marked and explained, and fixed by one click', async () => {
    const { page } = await scene.come(DESKTOP)
    await openNew(page)
    const flow = await card()
    const wires = [
      wire('input.article', 'summary.text'),
      wire('summary.summry', 'line.summary'),
      wire('line.text', 'qr.text'),
      wire('qr.svg', 'output.code'),
    ]
    await importFlow(page, { ...flow, wires })
    const summary = page.locator('.react-flow__node[aria-label^="Summary"]')
    await summary.locator('.port.gone').filter({ hasText: 'summry' }).waitFor()
    await page.getByText('Summary gives no “summry”. Its new name may be “summary”.').waitFor()
    expect(await runButton(page).getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('button', { name: 'The wire to “summary” is broken' }).click()
    expect(await page.evaluate('document.activeElement.dataset.port')).toBe('summary')
    await page.getByRole('button', { name: 'Connect it to “summary”' }).click()
    await summary.locator('.port.gone').waitFor({ state: 'detached' })
    await expect.poll(() => runButton(page).getAttribute('aria-disabled')).toBe('false')
  })

  test('a price that has risen must be confirmed before the flow runs', async () => {
    const { page } = await scene.come(DESKTOP)
    await openNew(page)
    const flow = await card()
    const { summary } = flow['steps'] as { readonly summary: { readonly pinned: { price: string } } }
    summary.pinned.price = '0.001'
    await importFlow(page, flow)
    await page.getByText('The price has risen: 0.001 → 0.01 USDC.').waitFor()
    expect(await runButton(page).getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('button', { name: 'Accept 0.01 USDC' }).click()
    await expect.poll(() => runButton(page).getAttribute('aria-disabled')).toBe('false')
  })

  test('a dry run shows samples at the ports and calls no agent', async () => {
    const { page } = await scene.come(DESKTOP)
    await openNew(page)
    await importFlow(page, await card())
    const asked: string[] = []
    page.on('request', request => asked.push(new URL(request.url()).pathname))
    await page.getByRole('button', { name: 'Dry run, free' }).click()
    await page
      .getByText('These are sample values. No agents were called, and you were not charged.')
      .waitFor()
    await expect.poll(() => page.locator('.port .shown').count()).toBeGreaterThan(3)
    expect(asked.filter(path => path.startsWith('/v1/runs'))).toEqual([])
    await page.getByRole('button', { name: 'Hide samples' }).click()
    await expect.poll(() => page.locator('.port .shown').count()).toBe(0)
  })

  test('a new flow runs from its page, and the values of the run are shown at its ports', async () => {
    const { page } = await scene.come(DESKTOP)
    await openNew(page)
    await importFlow(page, await card())
    const draft = new URL(page.url()).pathname
    await runButton(page).click()
    const sheet = page.getByRole('dialog', { name: 'Run “Card”' })
    await sheet
      .getByRole('textbox', { name: /article/ })
      .fill('Exact fare, per ride. The price is known before. A job travels along a line with stops.')
    await sheet.getByRole('button', { name: 'See the prices' }).click()
    await sheet.getByRole('button', { name: 'Sign 2 payments, 0.015 USDC' }).click()
    await page.waitForURL('**/runs/*')
    await page.getByRole('heading', { name: 'Delivered and paid' }).waitFor()
    const runId = new URL(page.url()).pathname.split('/').at(-1)
    await page.goto(`${draft}?view=runs`)
    await page.getByRole('link', { name: 'Show the run’s values in the flow' }).click()
    await page.getByText('You are viewing a run. Hide it to edit the flow.').waitFor()
    expect(new URL(page.url()).searchParams.get('run')).toBe(runId)
    const line = page.locator('.react-flow__node[aria-label^="Template"] .port.out .shown')
    await expect.poll(() => line.innerText()).toMatch(/^“In short: /)
    await page.getByRole('button', { name: 'Hide it' }).click()
    await runButton(page).click()
    // The last input is already in the form.
    expect(await sheet.getByRole('textbox', { name: /article/ }).inputValue()).toMatch(/^Exact fare/)
  })

  test('the outline shows the same flow, and changes it by selects', async () => {
    const { page } = await scene.come(DESKTOP)
    await openNew(page)
    await importFlow(page, await card())
    await page.getByRole('button', { name: 'Outline' }).click()
    const code = page.getByRole('listitem').filter({ hasText: 'QR code' }).first()
    const source = code.getByRole('combobox', { name: 'Source for text' })
    expect(await source.locator('option:checked').innerText()).toMatch(/^from text of Template/)
    await source.focus()
    await source.selectOption({ label: 'summary of Summary (rejected if longer than 1,200 characters)' })
    await page.getByText('The result is not used').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Add a step' }).click()
    await page.getByRole('option', { name: /^Wait/ }).click()
    await page.getByRole('heading', { name: /Wait/ }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { name: /Wait/ }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Canvas' }).click()
    await page.locator('.react-flow__edge').nth(3).waitFor({ state: 'attached' })
    expect(await portOf(page, 'QR code', 'in', 'text').getAttribute('aria-label')).toMatch(
      /fed by summary of Summary, may be rejected$/,
    )
  })

  test('breaks no rule of WCAG 2.2 A and AA: canvas, outline and dialogs', async () => {
    const { page } = await scene.come({ ...DESKTOP, bypassCSP: true })
    await openNew(page)
    await importFlow(page, { ...(await card()), wires: [wire('summary.summry', 'line.summary')] })
    await page.locator('.port.gone').waitFor()
    expect(await findViolations(page), 'canvas').toEqual([])
    await page.getByRole('button', { name: 'Settings for Summary' }).click()
    await page.getByText('Outputs, name, and more').click()
    expect(await findViolations(page), 'a step').toEqual([])
    await page.keyboard.press('Escape')
    await page.locator('.react-flow__node').first().focus()
    await page.keyboard.press('a')
    await page.getByRole('dialog').getByRole('option').first().waitFor()
    // They are dimmed while others are requested.
    await page.locator('.options:not(.reading)').waitFor()
    expect(await findViolations(page), 'what can be added').toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Outline' }).click()
    for (const viewport of [DESKTOP.viewport, { width: 390, height: 844 }]) {
      await page.setViewportSize(viewport)
      expect(await findViolations(page), `outline ${viewport.width}`).toEqual([])
    }
  })

  test('is never wider than the window, from 320 to 1920 px', async () => {
    const { page } = await scene.come(DESKTOP)
    await openNew(page)
    await importFlow(page, await card())
    await page.getByRole('region', { name: 'Canvas' }).getByText('In short').waitFor()
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      expect(await page.evaluate('document.documentElement.scrollWidth'), `at ${width}`).toBeLessThanOrEqual(
        width,
      )
    }
  })
})
