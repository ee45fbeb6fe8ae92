import { request } from 'undici'
import type { Row } from '../report/bench.ts'
import { limitRow } from '../report/limit-row.ts'
import type { Chromium } from './chromium.ts'

/** A KB is 1,000 bytes, gzip. */
const MOST_SCRIPT_KB = 125
const MOST_STYLE_KB = 16

/** The weight of the first page's scripts and styles, including everything that it loads by itself. */
export async function measureSizes({ context }: Chromium, url: string): Promise<readonly Row[]> {
  const page = await context.newPage()
  const [scripts, styles] = [new Set<string>(), new Set<string>()]
  page.on('request', asked => {
    if (asked.resourceType() === 'stylesheet') styles.add(asked.url())
    else if (asked.resourceType() === 'script' || asked.url().endsWith('.js')) scripts.add(asked.url())
  })
  await page.goto(url)
  await page.waitForLoadState('networkidle')
  await page.close()
  const row = async (what: string, files: ReadonlySet<string>, atMost: number): Promise<Row> =>
    limitRow({
      what: `first page, ${what}, gzip`,
      value: await weigh(files),
      limit: { atMost },
      format: kb => `${kb.toFixed(1)} KB`,
      notes: [`${files.size} files`],
    })
  return [await row('scripts', scripts, MOST_SCRIPT_KB), await row('styles', styles, MOST_STYLE_KB)]
}

async function weigh(files: ReadonlySet<string>): Promise<number> {
  let bytes = 0
  for (const file of files) {
    const { body } = await request(file, { headers: { 'accept-encoding': 'gzip' } })
    bytes += (await body.arrayBuffer()).byteLength
  }
  return bytes / 1_000
}
