import type { Locator, Page } from 'playwright-core'
import { quantile } from '../../rounds/statistics.ts'
import type { Figure } from '../figure.ts'
import { focusOn } from './open-flow.ts'
import { framesDuring } from './watch.ts'

const MOST_FRAME_MS = 20
const MOVES = 90
/** So that a node is read. */
const NEAR_STEP = 'both_12'

interface Movement {
  readonly what: string
  readonly act: (page: Page) => Promise<unknown>
}

/** What is done with the whole flow in view, and what with a part of it, near. */
const FAR: readonly Movement[] = [
  { what: 'a step is dragged, the whole flow in view', act: page => dragStep(page, NEAR_STEP) },
  { what: 'the whole flow is panned', act: dragCanvas },
  { what: 'zoomed in and out again, from the whole flow', act: zoom },
]
const NEAR: readonly Movement[] = [
  { what: 'a step is dragged, near', act: page => dragStep(page, NEAR_STEP) },
  { what: 'panned, near', act: dragCanvas },
  { what: 'zoomed out and in again, near', act: zoom },
]

/** Frames while the canvas is moved by mouse, the flow being open. */
export async function measureMovements(
  page: Page,
  options: { readonly rounds: number; readonly tell: (doing: string) => void },
): Promise<readonly Figure[]> {
  const frames = new Map<string, number[]>()
  for (let round = 0; round < options.rounds; round += 1) {
    options.tell(`canvas: movements, round ${round + 1} of ${options.rounds}`)
    for (const [movements, look] of [
      [FAR, lookFromAfar],
      [NEAR, lookNear],
    ] as const)
      for (const { what, act } of movements) {
        await look(page)
        const seen = await framesDuring(page, () => act(page))
        frames.set(what, [...(frames.get(what) ?? []), ...seen])
      }
  }
  return [...frames].map(([what, ms]) => ({
    what: `${what}: frame, p95`,
    value: quantile(ms, 0.95),
    unit: 'ms',
    goal: { atMost: MOST_FRAME_MS },
    notes: [
      `p50 ${quantile(ms, 0.5).toFixed(1)} ms, max ${Math.max(...ms).toFixed(1)} ms, of ${ms.length} frames, drawn without a graphics card`,
    ],
  }))
}

async function lookFromAfar(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Fit', exact: true }).click()
  await page.waitForTimeout(300)
}

/** A step in the middle, at 100 %. */
async function lookNear(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Fit', exact: true }).click()
  // Whoever carries a wire is led to where it ends, which is near.
  await focusOn(page, `.react-flow__node[data-id="${NEAR_STEP}"] .source[data-port="text"]`)
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /, to 100 %$/ }).click()
  await page.waitForTimeout(300)
}

/** There and back again, so that the next round finds it where it was. */
async function dragStep(page: Page, id: string): Promise<void> {
  const box = await boxOf(page.locator(`.react-flow__node[data-id="${id}"] .node-head`))
  const [x, y] = [box.x + box.width * 0.3, box.y + box.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 240, y + 90, { steps: MOVES })
  await page.mouse.move(x, y, { steps: MOVES })
  await page.mouse.up()
}

async function dragCanvas(page: Page): Promise<void> {
  const box = await boxOf(page.getByRole('region', { name: 'Canvas' }))
  // Where nothing is.
  const [x, y] = [box.x + 12, box.y + 12]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 300, y + 200, { steps: MOVES })
  await page.mouse.move(x, y, { steps: MOVES })
  await page.mouse.up()
}

async function zoom(page: Page): Promise<void> {
  const box = await boxOf(page.getByRole('region', { name: 'Canvas' }))
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.keyboard.down('Control')
  for (const by of [-12, 12])
    for (let turn = 0; turn < MOVES / 2; turn += 1) {
      await page.mouse.wheel(0, by)
      await page.evaluate('new Promise(done => requestAnimationFrame(done))')
    }
  await page.keyboard.up('Control')
}

async function boxOf(element: Locator) {
  const box = await element.boundingBox()
  if (box === null) throw new Error(`${element.toString()} is not to be seen`)
  return box
}
