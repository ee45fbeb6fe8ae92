import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from '@farebox/platform/src/test-setup/browser'
import { chromium, type BrowserContext, type Page } from 'playwright-core'

/** A Chromium with a profile of its own, as somebody keeps one who comes back. */
export interface Chromium {
  readonly context: BrowserContext
  /** Where others reach it by its DevTools protocol; what they open shares cookies and storage. */
  readonly port: number
  readonly version: string
  close(): Promise<void>
}

/** Starts it without a window. Throws where the machine has none. */
export async function startChromium(port: number): Promise<Chromium> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('bench:web needs Chromium: apt-get install chromium')
  const profile = await mkdtemp(join(tmpdir(), 'farebox-bench-profile-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    viewport: { width: 1_350, height: 940 },
    args: [
      `--remote-debugging-port=${port}`,
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  context.setDefaultTimeout(30_000)
  return {
    context,
    port,
    version: context.browser()?.version() ?? '',
    async close() {
      await context.close()
      await rm(profile, { recursive: true, force: true })
    },
  }
}

/** Until nothing was asked of the network for half a second. */
export async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
}
