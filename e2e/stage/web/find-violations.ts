import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/**
 * The violations that axe finds of WCAG 2.2, A and AA, in a page in its current state, and of the contrast rules in the other color
 * scheme: each rule with the elements that break it. The page is left in the light scheme.
 */
export async function findViolations(page: Page): Promise<readonly string[]> {
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await runAxe(page, `{ type: 'rule', values: ['color-contrast'] }`)
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await runAxe(page, `{ type: 'tag', values: ${JSON.stringify(RULES)} }`)
  return [...light, ...dark.map(found => `dark: ${found}`)]
}

async function runAxe(page: Page, runOnly: string): Promise<readonly string[]> {
  // Through the browser's debugger, because the policy of the pages allows no other script.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(AXE)
  // An element that fades in has another contrast during the animation; endless animations are not waited for.
  await page.evaluate(ANIMATIONS_END)
  const found: readonly Violation[] = await page.evaluate(
    `axe.run(document, { runOnly: ${runOnly}, resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  )
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(describe).join(' | ')}`)
}

const describe = ({ html, failureSummary }: Violation['nodes'][number]): string =>
  `${html.slice(0, 160)} (${failureSummary.replaceAll(/\s+/g, ' ')})`

// An animation that ends may be followed by another, so a frame without any is awaited.
const ANIMATIONS_END = `(async () => {
  for (;;) {
    await new Promise(requestAnimationFrame)
    const running = document
      .getAnimations()
      .filter(one => one.playState === 'running' && one.effect?.getComputedTiming().endTime !== Infinity)
    if (running.length === 0) return
    await Promise.all(running.map(one => one.finished.catch(() => undefined)))
  }
})()`
