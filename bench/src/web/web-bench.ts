import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { findFreePort } from '@farebox/local/src/processes/free-port'
import { signInBrowser } from '@farebox/platform/src/test-setup/sign-in-browser'
import { measureCanvas } from './canvas/canvas.ts'
import { startChromium } from './chromium.ts'
import { areReached, formatSections, type Section } from './figure.ts'
import { payFirstJob } from './first-job.ts'
import { measureInteractions } from './interactions.ts'
import { rateByLighthouse } from './lighthouse.ts'
import { startLocalEconomy } from './local-economy.ts'
import { readWebOptions, WEB_HELP, type WebOptions } from './options.ts'
import { measureServerTime } from './server-time.ts'
import { measureSizes } from './sizes.ts'
import { measureVitals } from './vitals.ts'
import { visitedPages } from './visited-pages.ts'

try {
  process.exitCode = await main(readWebOptions(process.argv.slice(2)))
} catch (error) {
  if (!(error instanceof TypeError)) throw error
  process.stderr.write(`\n✗ ${error.message}\n`)
  process.exitCode = 2
}

/** Exit code 0 when every goal is reached. */
async function main(options: WebOptions): Promise<number> {
  if (options.help) {
    process.stdout.write(WEB_HELP)
    return 0
  }
  const sections: Section[] = []
  let isBroken = false
  try {
    if (options.parts.some(part => part !== 'server')) await measureInBrowser(options, sections)
    if (options.parts.includes('server')) sections.push(await measureServerTime(options, tell))
  } catch (error) {
    // What was measured until then is told all the same.
    isBroken = true
    process.stderr.write(`\n✗ ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  }
  const machine = describeMachine()
  process.stdout.write(`\n${formatSections(sections)}  ${machine}\n`)
  if (options.json !== undefined)
    writeFileSync(options.json, `${JSON.stringify({ machine, sections }, null, 2)}\n`)
  return !isBroken && areReached(sections) ? 0 : 1
}

async function measureInBrowser({ parts, rounds }: WebOptions, sections: Section[]): Promise<void> {
  tell('npm start')
  const economy = await startLocalEconomy()
  const chromium = await startChromium(await findFreePort())
  const { url } = economy
  try {
    tell('the first job')
    const page = await chromium.context.newPage()
    const first = await payFirstJob(page, economy)
    await page.close()
    if (parts.includes('first-job')) sections.push(first.section)
    if (parts.includes('size')) {
      tell('sizes')
      sections.push(await measureSizes(chromium, url))
    }
    // The first example's owner.
    await signInBrowser(chromium.context, url, TEST_KEYS.agent.privateKey)
    if (parts.includes('vitals')) {
      const pages = visitedPages(first)
      sections.push(await measureVitals(chromium, url, { pages, rounds, tell }))
      sections.push(await measureInteractions(chromium, url, { agentId: first.agentId, rounds, tell }))
    }
    if (parts.includes('canvas')) sections.push(await measureCanvas(chromium, url, { rounds, tell }))
    if (parts.includes('lighthouse')) {
      const pages = visitedPages(first)
      await rateByLighthouse(chromium, url, { pages, rounds, tell }, section => void sections.push(section))
    }
  } finally {
    await chromium.close()
    await economy.stop()
  }
}

function tell(doing: string): void {
  process.stderr.write(`  · ${doing}\n`)
}

function describeMachine(): string {
  const [cpu] = cpus()
  const load = loadavg()
    .map(one => one.toFixed(1))
    .join(' ')
  return `${cpu?.model ?? 'unknown CPU'}, ${availableParallelism()} cores, Node ${process.versions.node}, load ${load}`
}
