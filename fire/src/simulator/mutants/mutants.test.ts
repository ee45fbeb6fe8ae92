import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { bundleSimulator } from '../runner/bundle-simulator.ts'
import { simulateSeeds } from '../runner/simulate-seeds.ts'
import { AMENDMENTS } from './amendments.ts'
import { applyEdit, MutantDoesNotFit } from './mutant.ts'
import { MUTANTS } from './mutants.ts'

/** Seeds in which one is looked for; where it is not found there, `main.ts --mutant <name>` says where it is. */
const SEARCHED = 800

describe('every break of our own code is noticed', () => {
  test.each(MUTANTS)('$name: $breaks', { timeout: 120_000 }, async mutant => {
    const simulator = await bundleSimulator([...AMENDMENTS, mutant])
    const { broken } = await simulateSeeds({
      simulator,
      first: mutant.seenFrom ?? 1,
      count: SEARCHED,
      workers: 2,
      stopsAtViolation: true,
    })
    expect(broken.length).toBeGreaterThan(0)
  })
})

test('a mutant whose text is not in the sources any more is refused, and named', async () => {
  const [mutant] = MUTANTS
  if (mutant === undefined) throw new Error('no mutants')
  const [edit] = mutant.edits
  if (edit === undefined) throw new Error('no edit')
  const outdated = { ...mutant, edits: [{ ...edit, find: 'what nobody ever wrote' }] }
  await expect(bundleSimulator([outdated])).rejects.toThrow(MutantDoesNotFit)
  await expect(
    bundleSimulator([{ ...mutant, edits: [{ ...edit, file: 'packages/farebox/src/bin.ts' }] }]),
  ).rejects.toThrow('is in no simulator')
})

test('a text that is there twice is refused as well: nobody could say which was meant', async () => {
  const file = 'packages/farebox/src/jobs/job-row.ts'
  const source = await readFile(fileURLToPath(new URL(`../../../../${file}`, import.meta.url)), 'utf8')
  expect(() => applyEdit('twice', { file, find: 'export function', replace: '' }, source)).toThrow(
    MutantDoesNotFit,
  )
})
