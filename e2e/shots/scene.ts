import type { Page } from 'playwright-core'
import type { ShotsStage } from './shots-stage.ts'

/** A page in a state, and the steps that lead to it. */
export interface Scene {
  /** The name of its pictures: `agent-running`. */
  readonly name: string
  /** The visitor is signed in as the agents' owner. */
  readonly asOwner?: boolean
  /** Leaves the page in its state. */
  readonly reach: (page: Page, stage: ShotsStage) => Promise<unknown>
}

/** A visible button with this text. */
export function button(page: Page, name: string | RegExp) {
  return page.getByRole('button', { name }).filter({ visible: true }).first()
}

/** Fills the first text field of an agent's form, once the page is hydrated. */
export async function fillText(page: Page, text: string): Promise<void> {
  await settled(page)
  await page.locator('#run textarea, #run input:is(:not([type]), [type=text])').first().fill(text)
}

/** The time limit for a page that keeps sending requests, as one that follows a signature does. */
const QUIET_WITHIN_MS = 3_000

/** Until there was no request for half a second, or the page has reached its time limit. */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: QUIET_WITHIN_MS }).catch(() => undefined)
}
