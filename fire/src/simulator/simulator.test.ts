import { beforeAll, expect, test } from 'vitest'
import { simulator } from './battery.ts'
import { missingAmong, unknownCalls } from './history/happenings.ts'
import { bundleSimulator } from './runner/bundle-simulator.ts'
import { hashHistory, loadSimulator } from './runner/repeat-history.ts'
import { simulateSeeds } from './runner/simulate-seeds.ts'
import type { Simulator } from './history/run-history.ts'

let bundle: string
let simulate: Simulator

beforeAll(async () => {
  bundle = await bundleSimulator()
  simulate = await loadSimulator(bundle)
})

test('300 histories break no rule, and every kind of fault occurs', async () => {
  const told: number[] = []
  const { scores, findings } = await simulator.run({
    size: 'small',
    seed: 1,
    signal: new AbortController().signal,
    progress: ({ done }) => told.push(done),
  })
  expect(findings).toEqual([])
  expect(scores.filter(({ isMet }) => !isMet)).toEqual([])
  expect(told.at(-1)).toBe(300)
})

test('a stopped run judges no more histories, and says so', async () => {
  const stopped = AbortSignal.abort()
  const { scores } = await simulator.run({
    size: 'small',
    seed: 1,
    signal: stopped,
    progress: () => undefined,
  })
  expect(scores[0]).toMatchObject({ isMet: false, reached: '0 judged, 0 with a violation' })
})

test('one seed gives one history, to the last event', async () => {
  const first: string[] = []
  for (let seed = 1; seed <= 15; seed += 1) first.push(await hashHistory(simulate, seed))
  expect(new Set(first).size).toBe(15)
  // Others in between, and in another order: no state of a history may remain for the next.
  for (let seed = 15; seed >= 1; seed -= 1)
    expect(await hashHistory(simulate, seed), `seed ${seed}`).toBe(first[seed - 1])
})

test('one thread and two threads give the same results', async () => {
  const run = { simulator: bundle, first: 7_000, count: 20 }
  const alone = await simulateSeeds({ ...run, workers: 1 })
  const together = await simulateSeeds({ ...run, workers: 2 })
  expect(together.counts).toEqual(alone.counts)
})

test('faults that did not occur are reported', () => {
  expect(missingAmong(['messages lost', 'nodes behind'], { 'nodes behind': 1 })).toEqual(['messages lost'])
})

test('a call through a port that is not in the table is named', () => {
  expect(unknownCalls({ 'dies before store.read': 1, 'dies after store.rename': 2, requests: 9 })).toEqual([
    'dies after store.rename',
  ])
})
