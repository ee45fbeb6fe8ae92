import { createHash } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { AMENDMENTS } from './mutants/amendments.ts'
import { bundleSimulator } from './runner/bundle-simulator.ts'
import { simulateSeeds } from './runner/simulate-seeds.ts'
import type { createSimulator, Simulator } from './simulator.ts'

let bundle: string
let simulate: Simulator

beforeAll(async () => {
  bundle = await bundleSimulator(AMENDMENTS)
  const module = (await import(pathToFileURL(bundle).href)) as { createSimulator: typeof createSimulator }
  simulate = await module.createSimulator()
})

test('500 histories break no rule, and there is something in them', { timeout: 60_000 }, async () => {
  const { broken, counts } = await simulateSeeds({ simulator: bundle, first: 1, count: 500, workers: 2 })
  expect(broken).toEqual([])
  for (const what of ['payments settled', 'payments failed', 'payments released', 'deaths', 'messages lost'])
    expect(counts[what], what).toBeGreaterThan(0)
  expect(counts['jobs delivered']).toBeGreaterThan(400)
})

test('one seed is one history, to the last event', { timeout: 30_000 }, async () => {
  const hashOf = async (seed: number): Promise<string> => {
    const { trace } = await simulate(seed, { isTraced: true })
    expect(trace.length).toBeGreaterThan(10)
    return createHash('sha256').update(trace.join('\n')).digest('hex')
  }
  const first: string[] = []
  for (let seed = 1; seed <= 40; seed += 1) first.push(await hashOf(seed))
  // Others in between, and in another order: nothing of a history may be left for the next.
  for (let seed = 40; seed >= 1; seed -= 1) expect(await hashOf(seed), `seed ${seed}`).toBe(first[seed - 1])
})

test('a history without a kind of fault has none of it, and is told apart by nothing else', async () => {
  const { counts } = await simulate(1, {
    without: new Set(['agent-crash', 'facilitator-crash', 'payer-crash']),
  })
  expect(counts['deaths']).toBe(0)
})
