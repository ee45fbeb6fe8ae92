import type { Page } from 'playwright-core'
import type { ShotsStage } from './shots-stage.ts'

/** A page in a state, and how somebody gets there. */
export interface Scene {
  /** Of its pictures: `agent-running`. */
  readonly name: string
  /** Whoever sees it is signed in as the agents' owner. */
  readonly asOwner?: boolean
  /** Leaves the page in its state. */
  readonly reach: (page: Page, stage: ShotsStage) => Promise<unknown>
}

/** A button with such words, as far as it is seen. */
export function button(page: Page, name: string | RegExp) {
  return page.getByRole('button', { name }).filter({ visible: true }).first()
}

/** Fills the first text field of an agent's form, once the browser has taken the page over. */
export async function fillText(page: Page, text: string): Promise<void> {
  await settled(page)
  await page.locator('#run textarea, #run input:is(:not([type]), [type=text])').first().fill(text)
}

/** So long a page may go on asking, which one does that watches a signature end. */
const QUIET_WITHIN_MS = 3_000

/** Until nothing was asked of the network for half a second, or a page has had its time. */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: QUIET_WITHIN_MS }).catch(() => undefined)
}
