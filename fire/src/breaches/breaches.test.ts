import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { applyEdits } from '../edits/edit.ts'
import { findTest, openSources, ROOT } from '../edits/sources.ts'
import { breaches, describeOutcome } from './battery.ts'
import { BREACHES, PROMISES } from './breaches.ts'
import { commitBreach } from './commit-breaches.ts'

const sources = await openSources()

describe('the list of breaches', () => {
  test('names are unique, promises are known, and there are at least 78 breaches', () => {
    expect(new Set(BREACHES.map(({ name }) => name)).size).toBe(BREACHES.length)
    expect(BREACHES.flatMap(({ promises }) => promises).filter(name => !(name in PROMISES))).toEqual([])
    expect(BREACHES.length).toBeGreaterThanOrEqual(78)
  })

  test.each(Object.keys(PROMISES))('%s is broken in at least two ways', name => {
    expect(BREACHES.filter(({ promises }) => promises.includes(name)).length).toBeGreaterThanOrEqual(2)
  })

  test.each(BREACHES)(
    '$name still fits the sources: $breaks',
    async ({ name, edits, test: file, only = '' }) => {
      for (const [file, broken] of applyEdits(name, edits, sources))
        expect(broken).not.toBe(sources.texts.get(file))
      const path = await findTest(file)
      expect(path).toContain('packages/')
      expect(await readFile(join(ROOT, path), 'utf8')).toMatch(new RegExp(only))
    },
  )
})

test('a breach whose text is no longer in the sources is reported', async () => {
  const edits = [{ in: 'farebox/execute', find: 'const three', replace: '' }]
  const breach = {
    name: 'outdated',
    promises: ['P1'],
    breaks: 'nothing any more',
    edits,
    test: 'farebox/pipeline.test.ts',
  }
  const outcome = await commitBreach(ROOT, breach, new AbortController().signal)
  expect(outcome.red).toBeUndefined()
  expect(outcome.reason).toContain('"outdated": farebox/execute has its text 0 times instead of once')
  expect(describeOutcome(outcome)).toMatchObject({ test: 'outdated', in: ['P1'], ok: false })
})

test('the small form: two breaches, each noticed by an ordinary test', async () => {
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
