import type { Locator, Page } from 'playwright-core'

/** The end of a port at which wires are connected; the step by the beginning of its name. */
export function portOf(page: Page, step: string, side: 'in' | 'out', port: string): Locator {
  const kind = side === 'in' ? 'target' : 'source'
  return page
    .locator(`.react-flow__node[aria-label^="${step}"] .react-flow__handle.${kind}[data-port="${port}"]`)
    .first()
}

/** The middle of something, in pixels of the window. */
async function middleOf(element: Locator): Promise<{ readonly x: number; readonly y: number }> {
  const box = await element.boundingBox()
  if (box === null) throw new Error(`${element.toString()} is not to be seen`)
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

/** Draws a wire by mouse, to a port or to an empty place of the canvas. */
export async function drawWire(page: Page, from: Locator, to?: Locator): Promise<void> {
  for (;;) {
    // Both ends have stopped moving, and nothing covers them.
    await to?.hover({ trial: true })
    await from.hover()
    const begin = await middleOf(from)
    await page.mouse.down()
    const end = await endOf(page, to)
    await page.mouse.move((begin.x + end.x) / 2, (begin.y + end.y) / 2, { steps: 4 })
    // If the step has moved meanwhile, the mouse was pressed beside its port.
    const isDrawn = await page.evaluate(WIRE_AFTER_TWO_FRAMES)
    if (isDrawn === true) await page.mouse.move(end.x, end.y, { steps: 4 })
    await page.mouse.up()
    if (isDrawn === true) return
  }
}

async function endOf(page: Page, to?: Locator): Promise<{ readonly x: number; readonly y: number }> {
  if (to !== undefined) return await middleOf(to)
  const canvas = await page.getByRole('region', { name: 'Canvas' }).boundingBox()
  return { x: (canvas?.x ?? 0) + (canvas?.width ?? 0) - 40, y: (canvas?.y ?? 0) + 24 }
}

const TWO_FRAMES = 'new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))'
const WIRE_AFTER_TWO_FRAMES = `${TWO_FRAMES}.then(() => document.querySelector('.react-flow__connectionline') !== null)`

/** Draws a wire by keyboard: Enter on a port, arrow keys to the other one, Enter. */
export async function carryWire(page: Page, from: Locator, to: RegExp): Promise<void> {
  await from.focus()
  await page.keyboard.press('Enter')
  for (let tries = 0; tries < 40; tries += 1) {
    await page.keyboard.press('ArrowDown')
    const held = String(await page.evaluate('document.activeElement.getAttribute("aria-label")'))
    if (to.test(held)) {
      await page.keyboard.press('Enter')
      return
    }
  }
  throw new Error(`no port that fits is ${String(to)}`)
}

/** The whole canvas is in view, including steps that were not measured when Fit was first pressed. */
export async function fit(page: Page): Promise<void> {
  for (let before = ''; ;) {
    await page.getByRole('button', { name: 'Fit' }).click()
    // The canvas draws itself in the next frame.
    const now = String(await page.evaluate(TRANSFORM_AFTER_TWO_FRAMES))
    if (now === before) return
    before = now
  }
}

const TRANSFORM_AFTER_TWO_FRAMES = `${TWO_FRAMES}
  .then(() => document.querySelector('.react-flow__viewport').style.transform)`

/** Imports a flow from a file by the menu, and waits until it is shown with a name. */
export async function importFlow(page: Page, flow: unknown): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByLabel(/Import (?:a flow|as a new flow)…/).setInputFiles({
    name: 'flow.json',
    mimeType: 'application/json',
    buffer: Buffer.from(typeof flow === 'string' ? flow : JSON.stringify(flow)),
  })
  const name: unknown = typeof flow === 'object' && flow !== null && 'name' in flow ? flow.name : undefined
  if (typeof name === 'string')
    await page.getByText(`Flow: ${name}`, { exact: true }).first().waitFor({ state: 'attached' })
}
