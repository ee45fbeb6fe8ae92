import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { findChromium, startBrowser } from '@farebox/platform/src/test-setup/browser/browser'
import { signInBrowser } from '@farebox/platform/src/test-setup/browser/sign-in-browser'
import type { Browser, Page } from 'playwright-core'
import { AGENT_SCENES, OFFLINE_SCENES } from './agent-scenes.ts'
import { BUILDER_SCENES } from './builder-scenes.ts'
import { FLOW_SCENES } from './flow-scenes.ts'
import { JOB_SCENES } from './job-scenes.ts'
import { MARKET_SCENES } from './market-scenes.ts'
import { OWNER_SCENES } from './owner-scenes.ts'
import type { Scene } from './scene.ts'
import { OWNER, setShotsStage, type ShotsStage } from './shots-stage.ts'

const HELP = `npm run shots -- [options]     pictures of every page and state, on a desktop and a phone, light and dark

  --only <names>    those whose names begin so; several with commas
  --folder <path>   where they go; default shots
`

const DEVICES = [
  { name: 'desktop', viewport: { width: 1_440, height: 900 }, hasTouch: false },
  { name: 'phone', viewport: { width: 390, height: 844 }, hasTouch: true },
] as const
const THEMES = ['light', 'dark'] as const

process.exitCode = await main()

/** Exit code 1 if a state was not reached; the others are still taken. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      folder: { type: 'string', default: 'shots' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const chromium = findChromium()
  if (chromium === undefined) return 1
  const isWanted = ({ name }: Scene): boolean => values.only.split(',').some(start => name.startsWith(start))
  const folder = resolve(values.folder)
  await mkdir(folder, { recursive: true })
  const stage = await setShotsStage()
  const browser = await startBrowser(chromium)
  let failed = 0
  const take = async (scenes: readonly Scene[]): Promise<void> => {
    for (const scene of scenes.filter(isWanted)) failed += await takeScene({ browser, stage, folder, scene })
  }
  try {
    await take([...MARKET_SCENES, ...AGENT_SCENES, ...BUILDER_SCENES, ...FLOW_SCENES])
    await take([...JOB_SCENES, ...OWNER_SCENES])
    if (OFFLINE_SCENES.some(isWanted)) {
      await stage.takeOffline('patient')
      await take(OFFLINE_SCENES)
    }
  } finally {
    await browser.close()
    await stage.strike()
  }
  return failed === 0 ? 0 : 1
}

async function takeScene(options: {
  readonly browser: Browser
  readonly stage: ShotsStage
  readonly folder: string
  readonly scene: Scene
}): Promise<number> {
  const { browser, stage, folder, scene } = options
  const started = performance.now()
  let problem: string | undefined
  for (const { name: device, viewport, hasTouch } of DEVICES) {
    const context = await browser.newContext({ viewport, hasTouch, baseURL: stage.url, colorScheme: 'light' })
    // A scene that is not reached is captured in its current state, after two minutes.
    context.setDefaultTimeout(120_000)
    if (scene.asOwner === true) await signInBrowser(context, stage.url, OWNER.privateKey)
    const page = await context.newPage()
    try {
      await scene.reach(page, stage)
    } catch (error) {
      // The current page is the best explanation.
      problem = `${device}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`
    }
    await takeThemes(page, join(folder, `${scene.name}-${device}`))
    await context.close()
  }
  const seconds = ((performance.now() - started) / 1_000).toFixed(1)
  const mark = problem === undefined ? '✓' : '✗'
  process.stdout.write(`  ${mark} ${scene.name.padEnd(20)}${seconds.padStart(6)} s  ${problem ?? ''}\n`)
  return problem === undefined ? 0 : 1
}

/** The state does not depend on the theme; the whole page is captured once. */
async function takeThemes(page: Page, path: string): Promise<void> {
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme })
    await page.waitForTimeout(250)
    await page.screenshot({ path: `${path}-${colorScheme}.png` })
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.waitForTimeout(250)
  await page.screenshot({ path: `${path}-light-full.png`, fullPage: true })
}
