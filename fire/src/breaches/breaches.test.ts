import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyEdit } from '../simulator/mutants/mutant.ts'
import { breaches } from './battery.ts'
import { BREACHES } from './breaches.ts'
import { commitBreach } from './commit-breach.ts'
import { ROOT } from './copy-sources.ts'
import { formatBreaches } from './format-breaches.ts'
import { PROMISE_NAMES } from './promises.ts'

describe('the list of breaches', () => {
  test('no two have one name, and there are at least 24', () => {
    expect(new Set(BREACHES.map(({ name }) => name)).size).toBe(BREACHES.length)
    expect(BREACHES.length).toBeGreaterThanOrEqual(24)
  })

  test.each(PROMISE_NAMES)('%s is broken in at least two ways', name => {
    expect(BREACHES.filter(({ promises }) => promises.includes(name)).length).toBeGreaterThanOrEqual(2)
  })

  test.each(BREACHES)('$name still fits the sources: $breaks', async ({ name, edits, tests }) => {
    for (const edit of edits) {
      const source = await readFile(join(ROOT, edit.file), 'utf8')
      expect(applyEdit(name, edit, source)).not.toBe(source)
    }
    expect(tests.length).toBeGreaterThan(0)
    for (const { file } of tests) expect(await readFile(join(ROOT, file), 'utf8')).not.toBe('')
  })
})

test('what is broken in a migration is not defined anew by a later one', async () => {
  const folder = 'packages/facilitator/migrations'
  const files = (await readdir(join(ROOT, folder))).sort()
  const sources = await Promise.all(files.map(file => readFile(join(ROOT, folder, file), 'utf8')))
  const edits = BREACHES.flatMap(breach => breach.edits).filter(({ file }) => file.startsWith(folder))
  expect(edits.length).toBeGreaterThan(0)
  for (const { file, find } of edits) {
    const index = files.indexOf(basename(file))
    const source = sources[index] ?? ''
    const above = [
      ...source.slice(0, source.indexOf(find)).matchAll(/create (?:or replace )?function (\w+)/g),
    ]
    const name = above.at(-1)?.[1] ?? ''
    const anew = new RegExp(`create (?:or replace )?function ${name}\\(`)
    expect(files.slice(index + 1).filter((_, later) => anew.test(sources[index + 1 + later] ?? ''))).toEqual(
      [],
    )
  }
})

describe('a breach that proves nothing', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'farebox-breach-test-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('because its text is not in the sources any more: it says so, and the sources are as they were', async () => {
    await writeFile(join(folder, 'one.ts'), 'const one = 1\n')
    const breach = {
      name: 'outdated',
      promises: ['P1'],
      breaks: 'nothing any more',
      edits: [
        { file: 'one.ts', find: '1', replace: '2' },
        { file: 'one.ts', find: 'const three', replace: '' },
      ],
      tests: [{ file: 'one.test.ts' }],
    } as const
    const outcome = await commitBreach(folder, breach, new AbortController().signal)
    expect(outcome.red).toBeUndefined()
    expect(outcome.reason).toMatch(/"outdated": one\.ts has its text 0 times instead of once: const three/)
    expect(await readFile(join(folder, 'one.ts'), 'utf8')).toBe('const one = 1\n')
    expect(formatBreaches([outcome])).toContain('| `outdated` | nothing any more | ✗ ')
  })
})

test('the small form: two breaches, each noticed by an ordinary test', { timeout: 120_000 }, async () => {
  const { scores, findings } = await breaches.run({
    size: 'small',
    seed: 1,
    signal: new AbortController().signal,
    progress: () => undefined,
  })
  expect(findings).toEqual([])
  expect(scores).toMatchObject([
    { isMet: true },
    { test: '2 deliberate breaches of our own code', reached: '2 turn a test red' },
  ])
})
