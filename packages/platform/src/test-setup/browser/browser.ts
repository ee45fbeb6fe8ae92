import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

/**
 * Where Debian and its kin put it; FAREBOX_CHROMIUM names another. The headless shell is first: it needs half of the CPU
 * time for a page.
 */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** The machine's Chromium; undefined, and a line that says so, where there is none. */
export function findChromium(): string | undefined {
  const given = process.env['FAREBOX_CHROMIUM']
  const found = given ?? PLACES.find(path => existsSync(path))
  if (found === undefined) {
    process.stderr.write(
      'no Chromium here: the tests of pages in a browser are left out (apt-get install chromium-headless-shell)\n',
    )
  }
  return found
}

/** Starts it without a window, and without anything that calls home. `words`: more of its command line. */
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
      // A page of a test is gone before code that was compiled for speed pays: a seventh of the CPU time of a file.
      '--js-flags=--single-threaded,--no-opt,--no-maglev',
      '--num-raster-threads=1',
      ...words,
    ],
  })
}
