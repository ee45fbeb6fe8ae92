import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

/**
 * Where Debian-based systems install it; FAREBOX_CHROMIUM sets another path. The headless shell comes first because it
 * needs half of the CPU time for a page.
 */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** The path of the machine's Chromium. When there is none, prints a notice and returns undefined. */
export function findChromium(): string | undefined {
  const given = process.env['FAREBOX_CHROMIUM']
  const found = given ?? PLACES.find(path => existsSync(path))
  if (found === undefined) {
    process.stderr.write(
      'Chromium is not installed: browser tests are skipped (apt-get install chromium-headless-shell)\n',
    )
  }
  return found
}

/**
 * Starts the browser without a window and without background network requests.
 *
 * @param words - additional command line arguments
 */
export async function startBrowser(executablePath: string, words: readonly string[] = []): Promise<Browser> {
  return await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Pages in tests are too short-lived for optimizing compilers: without them, a test file needs a seventh less CPU
      // time.
      '--js-flags=--single-threaded,--no-opt,--no-maglev',
      '--num-raster-threads=1',
      ...words,
    ],
  })
}
