import { playMatrix, ruleCases } from '@farebox/conformance/facilitator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { breaches } from './report.ts'
import { startSubjects, type Subjects } from './start-subjects.ts'

let subjects: Subjects

beforeAll(async () => {
  subjects = await startSubjects({ reference: false })
})

afterAll(() => subjects.stop())

test('case numbers are unique, and there are at least 120 cases', () => {
  expect(new Set(ruleCases.map(({ id }) => id)).size).toBe(ruleCases.length)
  expect(new Set(ruleCases.map(({ sent, rule }) => `${rule} ${sent}`)).size).toBe(ruleCases.length)
  expect(ruleCases.length).toBeGreaterThanOrEqual(120)
})

test('SR1–SR8 our facilitator keeps every rule, by its answers and by the chain', async () => {
  for (const { trial } of subjects.trials) {
    const played = await playMatrix(trial, ruleCases)
    expect(breaches({ name: trial.subject.name, played })).toEqual([])
    expect(played.filter(({ outcome }) => outcome === undefined)).toEqual([])
  }
}, 120_000)
