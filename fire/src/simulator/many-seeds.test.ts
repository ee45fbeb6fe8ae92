import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { missingAmong, RARE_HAPPENINGS, unknownCalls, USUAL_HAPPENINGS } from './history/happenings.ts'
import { bundleSimulator } from './runner/bundle-simulator.ts'
import { simulateSeeds } from './runner/simulate-seeds.ts'

const SEEDS = 5_000

test(
  '5,000 histories break no rule, and processes died before and after every call through a port',
  // On one busy core it takes longer than what ends a hang.
  { timeout: 3_600_000 },
  async () => {
    const { broken, counts } = await simulateSeeds({
      simulator: await bundleSimulator(),
      first: 1,
      count: SEEDS,
      workers: availableParallelism(),
    })
    expect(broken.slice(0, 5)).toEqual([])
    expect(counts['histories']).toBe(SEEDS)
    expect(missingAmong([...USUAL_HAPPENINGS, ...RARE_HAPPENINGS], counts)).toEqual([])
    expect(unknownCalls(counts)).toEqual([])
  },
)
