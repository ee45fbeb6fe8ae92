import { startBrowser } from '@farebox/platform/src/test-setup/browser/browser'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { visit, type VisitOptions, type Visitor } from './visitor.ts'
import { setWebStage, type WebStage } from './web-stage.ts'

/** The shared setup of one file's tests: the platform with its pages, and a browser. */
export interface WebScene {
  /** From `beforeAll` on. */
  readonly web: WebStage
  /** Opens a browser window for one test; it is closed after the test, which fails if the window had errors. */
  come(options?: VisitOptions): Promise<Visitor>
}

/** Sets up the platform and a browser before the tests of a file, and ends both after them. */
export function createWebScene(chromium: string | undefined): WebScene {
  let web: WebStage | undefined
  let browser: Browser | undefined
  const visitors: Visitor[] = []
  const staged = (): { readonly web: WebStage; readonly browser: Browser } => {
    if (web === undefined || browser === undefined) throw new Error('the scene is set up in beforeAll')
    return { web, browser }
  }
  beforeAll(async () => {
    web = await setWebStage()
    browser = await startBrowser(chromium ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await web?.strike()
  })
  afterEach(async ({ task }) => {
    for (const { context, page, troubles } of visitors.splice(0)) {
      // A screenshot for a test that timed out.
      if (task.result?.state === 'fail')
        console.error((await page.locator('main').allInnerTexts()).join('\n'))
      await context.close()
      expect(troubles).toEqual([])
    }
  })
  return {
    get web() {
      return staged().web
    },
    async come(options) {
      const visitor = await visit(staged().browser, staged().web, options)
      visitors.push(visitor)
      return visitor
    },
  }
}
