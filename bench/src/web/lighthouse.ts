import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Row } from '../report/bench.ts'
import { limitRow } from '../report/limit-row.ts'
import type { Stage } from '../stage/stage.ts'
import type { Chromium } from './chromium.ts'
import { findWanting, medianScore, type LighthouseReport } from './lighthouse-report.ts'

/** A page with score goals. */
interface VisitedPage {
  readonly name: string
  readonly path: string
  /** Whether search engines should index it. */
  readonly isPublic: boolean
}

/** The version for which the goals are set. */
const LIGHTHOUSE_VERSION = '12.8.2'
const LEAST = 95
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const
const MOST_REPORT_BYTES = 64 * 1_048_576
const RUN_WITHIN_MS = 180_000
const MOST_ATTEMPTS = 3

/** The form factor with goals, and the one that is only reported. */
const PRESETS = [
  { name: 'desktop', words: ['--preset=desktop'], isHeld: true },
  { name: 'mobile', words: [], isHeld: false },
] as const

/** Lighthouse's scores of each page, in a browser that is signed in and has ordered a job. */
export async function rateByLighthouse(
  stage: Stage,
  chromium: Chromium,
  url: string,
  pages: readonly VisitedPage[],
): Promise<readonly Row[]> {
  const rounds = stage.quick ? 1 : 5
  const rows: Row[] = []
  for (const preset of stage.quick ? PRESETS.slice(0, 1) : PRESETS) {
    for (const page of pages) {
      const reports: LighthouseReport[] = []
      for (let round = 0; round < rounds; round += 1) {
        stage.tell(`lighthouse, ${preset.name}: ${page.name}, run ${round + 1} of ${rounds}`)
        reports.push(await runAtLast(url + page.path, [...preset.words, `--port=${chromium.port}`]))
      }
      rows.push(...rowsOf(page, reports, preset))
    }
  }
  return rows
}

function rowsOf(
  page: VisitedPage,
  reports: readonly LighthouseReport[],
  preset: (typeof PRESETS)[number],
): readonly Row[] {
  // A private page is excluded from search engines, for which SEO subtracts points.
  const rated = CATEGORIES.filter(category => category !== 'seo' || page.isPublic)
  return rated.map(category => {
    const value = medianScore(reports, category)
    const last = reports.at(-1)
    return limitRow({
      what: `Lighthouse ${LIGHTHOUSE_VERSION}, ${preset.name}, ${page.name}: ${category}`,
      value,
      limit: preset.isHeld ? { atLeast: LEAST } : undefined,
      format: points => points.toFixed(0),
      notes: value === 100 || last === undefined ? [] : findWanting(last, category),
    })
  })
}

/** A run that Lighthouse itself could not complete is repeated, as it recommends; a completed one never is. */
async function runAtLast(url: string, words: readonly string[]): Promise<LighthouseReport> {
  for (let left = MOST_ATTEMPTS - 1; ; left -= 1) {
    try {
      return await run(url, words)
    } catch (error) {
      const said = (error as { readonly stderr?: string }).stderr?.trim().slice(0, 300)
      if (left === 0) throw new Error(`Lighthouse cannot rate ${url}: ${said}`, { cause: error })
    }
  }
}

/**
 * One run, in the browser that listens at the port: its cookies and storage are unchanged. npm keeps Lighthouse in its
 * cache: it has two hundred dependencies that nothing else here needs. None of their scripts is run.
 */
async function run(url: string, words: readonly string[]): Promise<LighthouseReport> {
  const { stdout } = await promisify(execFile)(
    'npm',
    [
      'exec',
      '--yes',
      '--ignore-scripts',
      `--package=lighthouse@${LIGHTHOUSE_VERSION}`,
      '--',
      'lighthouse',
      url,
      ...words,
      '--output=json',
      '--output-path=stdout',
      `--only-categories=${CATEGORIES.join(',')}`,
      '--disable-storage-reset',
      '--quiet',
    ],
    { maxBuffer: MOST_REPORT_BYTES, timeout: RUN_WITHIN_MS, env: { ...process.env, CI: 'true' } },
  )
  return JSON.parse(stdout) as LighthouseReport
}
