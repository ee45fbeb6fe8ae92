import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatSpan } from '../../../scripts/evidence/format-reliability.mjs'
import { readRecords, writeRecord } from '../../../scripts/evidence/record.mjs'
import type { Battery } from '../battery.ts'
import { formatScorecard, formatVerdict, type BatteryOutcome } from './format-scorecard.ts'
import { describeOptions, readOptions } from './options.ts'

const STORMS: BatteryOutcome = {
  name: 'storms',
  seconds: 725,
  scores: [
    { test: '500 kills', reached: '0 lost', target: '0 lost', isMet: true },
    { test: 'one payment for two jobs', reached: 'both delivered', target: 'one', isMet: false },
  ],
  findings: ['job 3f8a ran twice: --seed 7 --only kill'],
}

const battery = (name: string): Battery => ({
  name,
  does: 'Kills processes.',
  flags: { kills: { value: '<n>', help: 'how many' }, keep: { help: 'leaves the logs' } },
  run: async () => ({ scores: [], findings: [] }),
})
const BATTERIES = Object.fromEntries(
  ['storms', 'fuzz'].map(name => [name, { load: async () => battery(name), packages: [] }]),
)

test('a scorecard lists the results, the targets, the findings, and the parts that this machine cannot run', () => {
  const skipped = ['P1 a pooler: pgbouncer is not installed']
  expect(formatScorecard({ ...STORMS, skipped }) + formatVerdict([STORMS])).toBe(
    `  storms  12 m 05 s
  ✓ 500 kills
      0 lost  asked: 0 lost
  ✗ one payment for two jobs
      both delivered  asked: one
  - skipped: P1 a pooler: pgbouncer is not installed
  ✗ job 3f8a ran twice: --seed 7 --only kill

  1 of 2 targets reached, 1 finding; look at storms
`,
  )
})

test('a duration has its two largest units', () => {
  expect([4.4, 59.6, 725, 3_720].map(formatSpan)).toEqual(['4 s', '1 m 00 s', '12 m 05 s', '1 h 02 m'])
})

test('a battery that runs only when it is named is otherwise left out', async () => {
  const rare = { load: async () => battery('rare'), packages: [], onlyNamed: true } as const
  const all = { ...BATTERIES, rare }
  expect((await readOptions([], all)).names).toEqual(['storms', 'fuzz'])
  expect((await readOptions(['rare', 'fuzz'], all)).names).toEqual(['fuzz', 'rare'])
})

test('batteries are named first, and one of them accepts flags of its own', async () => {
  expect(await readOptions([], BATTERIES)).toMatchObject({
    names: ['storms', 'fuzz'],
    size: 'full',
    flags: {},
  })
  const words = ['storms', '--kills', '40', '--keep', '--seed', '3', '--small']
  expect(await readOptions(words, BATTERIES)).toEqual({
    names: ['storms'],
    size: 'small',
    seed: 3,
    flags: { kills: '40', keep: '' },
    write: false,
    help: false,
  })
  expect(describeOptions(['storms'], battery('storms'))).toMatch(/--kills <n> +how many/)
})

test.each([
  [['storm'], 'no battery is called storm: there are storms, fuzz'],
  [['--seed', '1.5'], '--seed 1.5: must be a whole number from 0 to 2147483647'],
  [['--kills', '3'], "Unknown option '--kills'"],
  [['storms', 'fuzz', '--kills', '3'], "Unknown option '--kills'"],
  [['storms', '--kills', '3', '--write'], '--write: a run with --kills is not recorded'],
])('%j is refused, with the reason', async (words, message) => {
  await expect(readOptions(words, BATTERIES)).rejects.toThrow(message)
  await expect(readOptions(words, BATTERIES)).rejects.toThrow(TypeError)
})

test('a record replaces the older one of its name, and all are sorted by name', async () => {
  const root = await mkdtemp(join(tmpdir(), 'farebox-records-'))
  const record = { form: 'full', command: 'x', machine: 'x', seconds: 129, lines: [], packages: [] } as const
  try {
    await mkdir(join(root, 'docs'))
    for (const [name, commit] of ['fire/storms a', 'bench/verify a', 'fire/storms b'].map(text =>
      text.split(' '),
    ))
      writeRecord(root, { ...record, name: name ?? '', commit: commit ?? '' })
    const date = new Date().toISOString().slice(0, 10)
    expect(readRecords(root)).toEqual([
      { ...record, date, name: 'bench/verify', commit: 'a' },
      { ...record, date, name: 'fire/storms', commit: 'b' },
    ])
  } finally {
    await rm(root, { recursive: true })
  }
})
