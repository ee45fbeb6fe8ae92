import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyEdits } from '../edits/edit.ts'
import { findTest, openSources, ROOT } from '../edits/sources.ts'
import { breaches } from './battery.ts'
import { BREACHES } from './breaches.ts'
import { commitBreach } from './commit-breach.ts'
import { formatBreaches } from './format-breaches.ts'
import { PROMISE_NAMES } from './promises.ts'

const sources = await openSources()

describe('the list of breaches', () => {
  test('names are unique, promises are known, and there are at least 78 breaches', () => {
    expect(new Set(BREACHES.map(({ name }) => name)).size).toBe(BREACHES.length)
    expect(BREACHES.filter(({ promises }) => promises.length === 0)).toEqual([])
    expect(BREACHES.length).toBeGreaterThanOrEqual(78)
  })

  test.each(PROMISE_NAMES)('%s is broken in at least two ways', name => {
    expect(BREACHES.filter(({ promises }) => promises.includes(name)).length).toBeGreaterThanOrEqual(2)
  })

  test.each(BREACHES)(
    '$name still fits the sources: $breaks',
    async ({ name, edits, test: file, only = '' }) => {
      for (const [file, broken] of await applyEdits(name, edits, sources))
        expect(broken).not.toBe(await sources.read(file))
      const path = await findTest(file)
      expect(path).toContain('packages/')
      expect(await readFile(join(ROOT, path), 'utf8')).toMatch(new RegExp(only))
    },
  )
})

describe('a breach that proves nothing', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'farebox-breach-test-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('an edit whose text is no longer in the sources is reported, and the sources stay as they were', async () => {
    const file = join(folder, 'packages', 'one', 'src', 'one.ts')
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, 'const one = 1\n')
    const breach = {
      name: 'outdated',
      promises: ['P1'],
      breaks: 'nothing any more',
      edits: [
        { in: 'one/one', find: '1', replace: '2' },
        { in: 'one/one', find: 'const three', replace: '' },
      ],
      test: 'one/one.test.ts',
    } as const
    const outcome = await commitBreach(folder, breach, new AbortController().signal)
    expect(outcome.red).toBeUndefined()
    expect(outcome.reason).toMatch(/"outdated": one\/one has its text 0 times instead of once: const three/)
    expect(await readFile(file, 'utf8')).toBe('const one = 1\n')
    expect(formatBreaches([outcome]).lines).toMatchObject([{ test: 'outdated', in: ['P1'], ok: false }])
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
