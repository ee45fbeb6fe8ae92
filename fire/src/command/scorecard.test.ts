import { mkdtemp, readFile, rm, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { BatteryRecord } from './battery-record.ts'
import { formatScorecard, formatSpan, PLAIN } from './format-scorecard.ts'
import { readOptions } from './options.ts'
import { writeReliability } from './reliability-page.ts'

const NAMES = ['storms', 'fuzz']

const STORMS: BatteryRecord = {
  name: 'storms',
  does: 'Real processes are killed.',
  size: 'full',
  seed: 7,
  day: '2026-11-21',
  tookSeconds: 725,
  machine: 'a machine',
  scores: [
    { test: '500 kills', reached: '0 lost', target: '0 lost', isMet: true },
    { test: '10,000 requests for one job', reached: 'handler ran twice', target: 'once', isMet: false },
  ],
  findings: ['job 3f8a ran twice: --seed 7 --only duplicate'],
}

test('a scorecard says what was reached, what was asked, and what to look at', () => {
  expect(formatScorecard([STORMS], PLAIN)).toBe(
    `  storms  12 m 05 s
  ✓ 500 kills
      0 lost  asked: 0 lost
  ✗ 10,000 requests for one job
      handler ran twice  asked: once
  ✗ job 3f8a ran twice: --seed 7 --only duplicate

  1 of 2 targets reached, 1 finding; look at storms
`,
  )
})

test('a span is told in the two units that matter', () => {
  expect([4.4, 59.6, 725, 3_720].map(formatSpan)).toEqual(['4 s', '1 m 00 s', '12 m 05 s', '1 h 02 m'])
})

test('the reliability page keeps the last full run of each battery, misses included', async () => {
  const root = await mkdtemp(join(tmpdir(), 'farebox-scorecard-'))
  try {
    await mkdir(join(root, 'docs'))
    await mkdir(join(root, 'fire'))
    await writeReliability(root, [STORMS], NAMES)
    const fuzz = {
      ...STORMS,
      name: 'fuzz',
      scores: [STORMS.scores[0]].filter(one => one !== undefined),
      findings: [],
    }
    const page = await readFile(join(root, await writeReliability(root, [fuzz], NAMES)), 'utf8')
    expect(page).toContain('## storms')
    expect(page).toContain('2026-11-21, seed 7, 12 m 05 s, a machine.')
    expect(page).toContain('| ✗ | 10,000 requests for one job | handler ran twice | once |')
    expect(page.indexOf('## storms')).toBeLessThan(page.indexOf('## fuzz'))
    expect(page).toContain('2 of 3 targets reached, 1 finding; look at storms.')
  } finally {
    await rm(root, { recursive: true })
  }
})

test.each([
  [['--only', 'storm'], '--only storm: there are storms, fuzz'],
  [['--seed', '1.5'], '--seed 1.5: must be a whole number from 0 to 2147483647'],
  [['--small', '--write'], '--write: only full runs are written down, so not with --small'],
])('%j is refused, saying why', (words, message) => {
  expect(() => readOptions(words, NAMES)).toThrow(message)
})
