import type { Flow } from '@farebox/flows/document/flow'
import type { Page } from 'playwright-core'
import { settle } from '../chromium.ts'

/** Opens the builder for a new flow and reads this one from a file, as its menu does. */
export async function openFlow(page: Page, url: string, flow: Flow): Promise<void> {
  await page.goto(`${url}/flows/new`)
  await page.getByRole('region', { name: 'Canvas' }).getByText('Flow inputs').waitFor()
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByLabel('Import a flow').setInputFiles({
    name: 'flow.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(flow)),
  })
  await page.getByRole('region', { name: 'Canvas' }).locator('[data-id="both_0"]').waitFor()
  await settle(page)
  // It is kept a moment later.
  await page.waitForTimeout(1_000)
}

/** Puts the focus on an element of the page, where it is, without scrolling to it. */
export async function focusOn(page: Page, selector: string): Promise<void> {
  const chosen = JSON.stringify(selector)
  const isThere = await page.evaluate(
    `(element => { element?.focus({ preventScroll: true }); return element !== null && document.activeElement === element })(document.querySelector(${chosen}))`,
  )
  if (isThere !== true) throw new Error(`${selector} does not take the focus`)
}
