import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { findFreePort } from '@farebox/local/src/processes/free-port'
import { chromium, type BrowserContext } from 'playwright-core'
import type { Stage } from '../stage/stage.ts'

/** A Chromium with its own profile. */
export interface Chromium {
  readonly context: BrowserContext
  /** The port of its DevTools protocol; its pages share cookies and storage. */
  readonly port: number
}

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Starts it without a window, until the scene ends. Rejects if the machine has none; FAREBOX_CHROMIUM names one. */
export async function startChromium(stage: Stage): Promise<Chromium> {
  const executablePath = process.env['FAREBOX_CHROMIUM'] ?? PLACES.find(path => existsSync(path))
  if (executablePath === undefined) throw new Error('web needs Chromium: apt-get install chromium')
  const port = await findFreePort()
  const context = await chromium.launchPersistentContext(await mkdtemp(join(stage.folder, 'profile-')), {
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
  stage.onStrike(() => context.close())
  context.setDefaultTimeout(60_000)
  return { context, port }
}
