import type { CDPSession, Page } from 'playwright-core'
import { median } from '../rounds/statistics.ts'
import { settle, type Chromium } from './chromium.ts'
import type { Figure, Section } from './figure.ts'
import type { VisitedPage } from './visited-pages.ts'

const MOST_LCP_MS = 1_200
const MOST_SHIFT = 0.02

/** A network as it is on a train: so much later, so much at a time. */
const SLOW = { latencyMs: 400, kilobitsPerSecond: 400 }
/** A phone of the middle class beside this machine: what is parsed piece by piece is painted so. */
const PHONE = { width: 412, height: 823, timesSlower: 4 }

interface Load {
  readonly lcpMs: number
  readonly shift: number
}

/** How soon each page's largest part is painted, and how much moves, without a cache; once more over a slow network. */
export async function measureVitals(
  { context }: Chromium,
  url: string,
  options: {
    readonly pages: readonly VisitedPage[]
    readonly rounds: number
    readonly tell: (doing: string) => void
  },
): Promise<Section> {
  const figures: Figure[] = []
  for (const visited of options.pages) {
    const loads: Load[] = []
    for (let round = 0; round < options.rounds; round += 1) {
      options.tell(`vitals: ${visited.name}, load ${round + 1} of ${options.rounds}`)
      loads.push(await load(await context.newPage(), url, visited, {}))
    }
    const onPhone: Load[] = []
    for (let round = 0; round < options.rounds; round += 1) {
      options.tell(`vitals: ${visited.name} on a phone, load ${round + 1} of ${options.rounds}`)
      onPhone.push(await load(await context.newPage(), url, visited, { phone: PHONE }))
    }
    options.tell(`vitals: ${visited.name}, over a slow network`)
    const slow = await load(await context.newPage(), url, visited, { network: SLOW })
    const lcpMs = loads.map(one => one.lcpMs)
    figures.push(
      {
        what: `${visited.name}: largest contentful paint`,
        value: median(lcpMs),
        unit: 'ms',
        goal: { atMost: MOST_LCP_MS },
        notes: [
          `worst of ${lcpMs.length}: ${Math.max(...lcpMs).toFixed(0)} ms; with ${SLOW.latencyMs} ms and ${SLOW.kilobitsPerSecond} kb/s: ${slow.lcpMs.toFixed(0)} ms`,
        ],
      },
      {
        what: `${visited.name}: layout shift, the worst load`,
        value: Math.max(slow.shift, ...[...loads, ...onPhone].map(({ shift }) => shift)),
        unit: 'shift',
        goal: { atMost: MOST_SHIFT },
        notes: [
          `over the slow network: ${slow.shift.toFixed(3)}; on a phone ${PHONE.timesSlower} times slower: ${onPhone.map(({ shift }) => shift.toFixed(3)).join(' ')}`,
        ],
      },
    )
  }
  return { title: `paint and layout, cache empty, median of ${options.rounds} loads`, figures }
}

async function load(
  page: Page,
  url: string,
  visited: VisitedPage,
  { network, phone }: { readonly network?: typeof SLOW; readonly phone?: typeof PHONE },
): Promise<Load> {
  try {
    const session = await page.context().newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.setCacheDisabled', { cacheDisabled: true })
    if (network !== undefined) await slowDown(session, network)
    if (phone !== undefined) {
      await page.setViewportSize(phone)
      await session.send('Emulation.setCPUThrottlingRate', { rate: phone.timesSlower })
    }
    await page.addInitScript(OBSERVE)
    await page.goto(url + visited.path, { timeout: 60_000 })
    await page.locator(visited.shows).filter({ visible: true }).first().waitFor({ timeout: 60_000 })
    await settle(page)
    // What was painted last is told with a delay.
    await page.waitForTimeout(300)
    const seen = (await page.evaluate('window.seen')) as Load
    if (seen.lcpMs === 0) throw new Error(`${visited.path} painted nothing`)
    return seen
  } finally {
    await page.close()
  }
}

async function slowDown(session: CDPSession, { latencyMs, kilobitsPerSecond }: typeof SLOW): Promise<void> {
  const bytesPerSecond = (kilobitsPerSecond * 1_000) / 8
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  })
}

/** Runs in the page, before its own scripts. The shift is the largest window of five seconds, as Chromium's metric has it. */
const OBSERVE = `
  window.seen = { lcpMs: 0, shift: 0 }
  new PerformanceObserver(list => {
    for (const { startTime } of list.getEntries()) window.seen.lcpMs = startTime
  }).observe({ type: 'largest-contentful-paint', buffered: true })
  let first = 0, last = 0, sum = 0
  new PerformanceObserver(list => {
    for (const { startTime, value, hadRecentInput } of list.getEntries()) {
      if (hadRecentInput) continue
      if (startTime - last > 1000 || startTime - first > 5000) { first = startTime; sum = 0 }
      last = startTime
      sum += value
      window.seen.shift = Math.max(window.seen.shift, sum)
    }
  }).observe({ type: 'layout-shift', buffered: true })`
