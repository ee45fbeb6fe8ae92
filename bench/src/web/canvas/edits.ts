import type { Page } from 'playwright-core'
import { median } from '../../rounds/statistics.ts'
import type { Figure } from '../figure.ts'
import { focusOn } from './open-flow.ts'
import { timeEdit, type EditTime } from './watch.ts'

const MOST_MS = 100

/** One thing that is done, and how it is measured. */
interface Edit {
  readonly what: string
  readonly act: (page: Page) => Promise<EditTime>
  /** Draws all of the flow, and is held to no goal. */
  readonly isOpening?: true
}

/** A port in the middle of the flow. */
const CARRIED = '.react-flow__node[data-id="short_20"] .source[data-port="kept"]'
const CANVAS = '.canvas[role="region"]'

/** On the canvas. Each leaves what the next one begins with, the last one the flow as it was. */
const ON_CANVAS: readonly Edit[] = [
  {
    what: 'a step is taken away',
    async act(page) {
      await focusOn(page, '.react-flow__node[data-id="count_17"]')
      return await press(page, 'Delete')
    },
  },
  { what: 'it is put back by undo', act: page => press(page, 'Control+z') },
  {
    what: 'a step is added from the library',
    async act(page) {
      await press(page, 'Control+Shift+z')
      const library = page.getByRole('complementary', { name: 'Library' })
      const time = await timeEdit(page, 'click', () =>
        library.getByRole('button', { name: /^Summary/ }).click(),
      )
      await undo(page, 2)
      return time
    },
  },
  {
    what: 'a wire is taken up, what fits is marked',
    async act(page) {
      await focusOn(page, CARRIED)
      return await press(page, 'Enter')
    },
  },
  {
    what: 'it is joined to a step further on',
    act: page => join(page, 'ArrowUp'),
  },
  {
    what: 'one is joined to the first step, which waits from then on',
    async act(page) {
      await focusOn(page, CARRIED)
      await page.keyboard.press('Enter')
      return await join(page, 'ArrowDown')
    },
  },
  {
    what: 'a figure is typed into a constant',
    async act(page) {
      await page.evaluate(
        `document.querySelector('.react-flow__node[data-id="short_20"] .port:has([data-port="sentences"]) .value').click()`,
      )
      const field = page.getByRole('dialog').getByRole('textbox')
      await field.focus()
      await page.keyboard.press('End')
      const time = await press(page, '0')
      await page.keyboard.press('Escape')
      await undo(page, 1)
      return time
    },
  },
]

/** In the outline. */
const IN_OUTLINE: readonly Edit[] = [
  {
    what: 'the outline is opened',
    isOpening: true,
    act: page => timeEdit(page, 'click', () => page.getByRole('button', { name: 'Outline' }).click()),
  },
  {
    what: 'outline: what can feed an input is listed',
    async act(page) {
      await page.evaluate(WATCH_FOCUS)
      await focusOn(page, '[data-step="both_25"] select.feeder')
      return await page.evaluate('window.watch.edit')
    },
  },
  {
    what: 'outline: a text is typed',
    async act(page) {
      const field = page.locator('[data-step="both_25"] textarea, [data-step="both_25"] input').first()
      await field.focus()
      const time = await press(page, 'x')
      await page.getByRole('button', { name: 'Undo' }).click()
      return time
    },
  },
  {
    what: 'the canvas is opened again',
    isOpening: true,
    act: page => timeEdit(page, 'click', () => page.getByRole('button', { name: 'Canvas' }).click()),
  },
]

/** A script cannot press where a list opens over the page: to lead the focus there does the same. */
const WATCH_FOCUS = `window.watch.awaitEdit('focus')`

/** Single edits of the open flow, from their event to the next frame that is painted. */
export async function measureEdits(
  page: Page,
  options: { readonly rounds: number; readonly tell: (doing: string) => void },
): Promise<readonly Figure[]> {
  const edits = [...ON_CANVAS, ...IN_OUTLINE].map(edit => ({ ...edit, seen: [] as EditTime[] }))
  for (let round = 0; round < options.rounds; round += 1) {
    options.tell(`canvas: edits, round ${round + 1} of ${options.rounds}`)
    for (const { act, seen } of edits) seen.push(await act(page))
    await page.locator(CANVAS).locator('[data-id="both_0"]').waitFor()
    await page.waitForTimeout(500)
  }
  return edits.map(({ what, isOpening, seen }) => ({
    what,
    value: median(seen.map(({ paintMs }) => paintMs)),
    unit: 'ms',
    ...(isOpening !== true && { goal: { atMost: MOST_MS } }),
    notes: [
      `worst of ${seen.length}: ${Math.max(...seen.map(({ paintMs }) => paintMs)).toFixed(0)} ms; longest frame in the second after: ${median(seen.map(({ laterMs }) => laterMs)).toFixed(0)} ms`,
    ],
  }))
}

/** Joins the wire that is carried, to the first or the last port that fits; taken back then. */
async function join(page: Page, to: 'ArrowDown' | 'ArrowUp'): Promise<EditTime> {
  await page.keyboard.press(to)
  // Whoever carries a wire is led to where it ends, which is near: that is drawn first.
  await page.waitForTimeout(300)
  const time = await press(page, 'Enter')
  await undo(page, 1)
  return time
}

/** As Playwright names keys, `Control+z`. What is held down is an event of its own, and is pressed before. */
async function press(page: Page, keys: string): Promise<EditTime> {
  const held = keys.split('+')
  const key = held.pop() ?? ''
  for (const name of held) await page.keyboard.down(name)
  const time = await timeEdit(page, 'keydown', () => page.keyboard.press(key))
  for (const name of held.toReversed()) await page.keyboard.up(name)
  return time
}

async function undo(page: Page, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) await page.getByRole('button', { name: 'Undo' }).click()
}
