import type { Page } from 'playwright-core'
import { median } from '../rounds/statistics.ts'
import { settle, type Chromium } from './chromium.ts'
import type { Section } from './figure.ts'

const MOST_MS = 100

/** What people do, on the page they do it on. */
const ROUTES: readonly {
  readonly name: string
  readonly path: (agentId: string) => string
  readonly act: (page: Page) => Promise<unknown>
}[] = [
  {
    name: 'typing in the search',
    path: () => '/',
    act: async page => {
      await page.getByRole('searchbox').click()
      await page.keyboard.type('statistics', { delay: 60 })
      await settle(page)
    },
  },
  {
    name: 'sorting what was found',
    path: () => '/',
    act: async page => {
      const sort = page.locator('select').last()
      await sort.focus()
      await page.keyboard.press('ArrowDown')
      await settle(page)
    },
  },
  {
    name: 'following a link to an agent',
    path: () => '/',
    act: async page => {
      await page.locator('.entry h3 a').first().click()
      await page.locator('#run form').waitFor()
    },
  },
  {
    name: 'changing the capability',
    path: agentId => `/agents/${agentId}`,
    act: async page => {
      await page.locator('.capabilities a').last().click()
      await page.waitForTimeout(200)
      await page.locator('.capabilities a').first().click()
    },
  },
  {
    name: 'opening the JSON view',
    path: agentId => `/agents/${agentId}`,
    act: async page => {
      await page.getByText('JSON', { exact: true }).first().click()
      await page.locator('#json-input').waitFor()
    },
  },
  {
    name: 'typing an input, pressing pay',
    path: agentId => `/agents/${agentId}`,
    act: async page => {
      // What pays is there: before that a click asks which wallet is meant.
      await page
        .getByRole('button', { name: /\d USDC/ })
        .first()
        .waitFor()
      await page.locator('#run textarea, #run input[type=text]').first().click()
      await page.keyboard.type('Exact fare, per ride, please.', { delay: 40 })
      await page.getByRole('button', { name: /^Pay .* and run/ }).click()
      await page
        .getByText('Paid', { exact: true })
        .waitFor()
        .catch(async (error: unknown) => {
          throw new Error(`not paid: ${await page.locator('#run').innerText()}`, { cause: error })
        })
    },
  },
]

/** How long the page takes to paint after what a person did: the worst interaction of each visit. */
export async function measureInteractions(
  { context }: Chromium,
  url: string,
  options: {
    readonly agentId: string
    readonly rounds: number
    readonly tell: (doing: string) => void
  },
): Promise<Section> {
  const figures = []
  for (const { name, path, act } of ROUTES) {
    const worst: number[] = []
    for (let round = 0; round < options.rounds; round += 1) {
      options.tell(`interactions: ${name}, visit ${round + 1} of ${options.rounds}`)
      const page = await context.newPage()
      try {
        await page.addInitScript(OBSERVE)
        await page.goto(url + path(options.agentId))
        await settle(page)
        await act(page)
        // An interaction is told once its paint is done.
        await page.waitForTimeout(300)
        if (Number(await page.evaluate('performance.interactionCount')) === 0)
          throw new Error(`${name}: the page has seen no interaction`)
        worst.push(Number(await page.evaluate('window.slowest')))
      } finally {
        await page.close()
      }
    }
    figures.push({
      what: name,
      value: median(worst),
      unit: 'ms' as const,
      goal: { atMost: MOST_MS },
      notes: [
        `worst of ${worst.length} visits: ${Math.max(...worst).toFixed(0)} ms${median(worst) === 0 ? '; 0 is less than 16, which is not told' : ''}`,
      ],
    })
  }
  return {
    title: `interaction to next paint: the slowest of a visit, median of ${options.rounds} visits (Event Timing, steps of 8 ms)`,
    figures,
  }
}

/** Runs in the page. What takes less than 16 ms is not told, and stays 0. */
const OBSERVE = `
  window.slowest = 0
  new PerformanceObserver(list => {
    for (const { interactionId, duration } of list.getEntries())
      if (interactionId > 0) window.slowest = Math.max(window.slowest, duration)
  }).observe({ type: 'event', durationThreshold: 16, buffered: true })`
