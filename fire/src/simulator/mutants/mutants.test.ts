import { expect, test } from 'vitest'
import { applyEdits } from '../../edits/edit.ts'
import { openSources } from '../../edits/sources.ts'
import { bundleSimulator } from '../runner/bundle-simulator.ts'
import { simulateSeeds } from '../runner/simulate-seeds.ts'
import { MUTANTS, readSeeds } from './mutants.ts'

/** Histories run from the recorded one on: another change may have shifted it a little. */
const NEARBY = 10

/**
 * Histories run after that, from the first one on. A change to the sources changes the histories of all seeds: a mutant
 * that one history in some hundreds detects is found again in these.
 */
const HUNTED = 1_000

const caughtAt = await readSeeds()
const sources = await openSources()

test.each(MUTANTS)('the edit of the mutant still fits the sources: $breaks ($name)', ({ name, edits }) => {
  for (const [file, broken] of applyEdits(name, edits, sources))
    expect(broken).not.toBe(sources.texts.get(file))
})

/** The full run searches for all of them. */
const SAMPLE = MUTANTS.filter(({ isRare }) => isRare !== true).filter((_, place) => place % 10 === 0)

test.each(SAMPLE)('the simulator detects the mutant: $breaks ($name)', async mutant => {
  const simulator = await bundleSimulator([mutant])
  const isCaught = async (first: number, count: number): Promise<boolean> => {
    const run = { simulator, first, count, workers: 1, stopsAtViolation: true }
    return (await simulateSeeds(run)).broken.length > 0
  }
  const isNoticed = (await isCaught(caughtAt.get(mutant.name) ?? 1, NEARBY)) || (await isCaught(1, HUNTED))
  expect(isNoticed, 'npm run fire -- simulator --mutants --record finds its seed').toBe(true)
})

test('each mutant has a recorded seed, and each recorded seed a mutant', () => {
  expect([...caughtAt.keys()].toSorted()).toEqual(MUTANTS.map(({ name }) => name).toSorted())
})

test('a mutant of a source that no simulator loads is refused', async () => {
  const edits = [{ in: 'local/startPostgres', find: 'export', replace: 'export ' }]
  const elsewhere = { name: 'elsewhere', breaks: 'nothing', edits }
  await expect(bundleSimulator([elsewhere])).rejects.toThrow('is in no simulator')
})
