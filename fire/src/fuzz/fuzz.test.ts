import { beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '../simulator/seeded-random.ts'
import { makeDeclaration } from './generate/make-declaration.ts'
import { createPaymentMaker, type PaymentMaker } from './generate/payment-draft.ts'
import type { Recipe } from './generate/recipe.ts'
import { BEHAVIOURS } from './handlers/behaviours.ts'
import { fuzzDeclarations } from './run/fuzz-declarations.ts'
import { reportFinding } from './run/report-finding.ts'
import { rerun, runEpoch, type Finding } from './run/run-epoch.ts'
import { SABOTAGES } from './run/sabotages.ts'
import { shrinkRecipe } from './run/shrink-recipe.ts'
import { createTally, quantileMs } from './run/tally.ts'

/** Requests of the small form; the battery sends a million. */
const ANSWERS = 20_000
/** Within so many recipes every sabotage must be seen. */
const MOST_RECIPES = 2_500
const SEED = 20_270_101

/** Nothing wrong with it. */
const GOOD: Omit<Recipe, 'seed' | 'mode' | 'behaviour'> = {
  kind: 'execute',
  capability: 0,
  bodySpoils: [],
  payment: { spoils: [], bound: false, alias: false, poor: false },
  inputSpoilt: false,
  verifyFault: undefined,
  settleFault: undefined,
  repeat: undefined,
}

let maker: PaymentMaker
beforeAll(async () => {
  maker = await createPaymentMaker()
})

test(`${ANSWERS} generated requests, each answered as foreseen`, { timeout: 120_000 }, async () => {
  const tally = createTally()
  const findings: Finding[] = []
  for (let epoch = 0; tally.answers < ANSWERS; epoch += 1)
    findings.push(...(await runEpoch({ seed: SEED, epoch, recipes: 2_500, maker, tally, mostFindings: 3 })))
  expect(findings.map(finding => reportFinding(finding, finding.recipe, maker)).join('\n')).toBe('')
  // Every documented status came up, so none of them was judged by nobody.
  const seen = new Set(Object.keys(tally.statuses).map(name => Number(name.split(' ')[1])))
  expect([...seen].sort((a, b) => a - b)).toEqual([200, 204, 400, 401, 402, 404, 405, 408, 500, 503])
  expect(quantileMs(tally, 0.99)).toBeLessThan(100)
})

test.each(['paid', 'dev'] as const)('whatever a handler does, once each, with payments %s', async mode => {
  const declaration = makeDeclaration(createRandom(SEED))
  const wrong: string[] = []
  for (const [seed, behaviour] of Object.keys(BEHAVIOURS).entries()) {
    const reason = await rerun({ maker, tally: createTally() }, declaration, {
      ...GOOD,
      seed,
      mode,
      behaviour,
    })
    if (reason !== undefined) wrong.push(`${behaviour}: ${reason}`)
  }
  expect(wrong).toEqual([])
})

test('good declarations are taken, spoilt ones answered with problems, and none throws', () => {
  expect(fuzzDeclarations(SEED, 0, 300)).toEqual([])
})

describe('an agent that breaks a promise is caught', () => {
  test.each(Object.keys(SABOTAGES))('it %s', { timeout: 60_000 }, async name => {
    const tally = createTally()
    const sabotage = SABOTAGES[name]
    const findings = await runEpoch({
      seed: SEED,
      epoch: 1,
      recipes: MOST_RECIPES,
      maker,
      tally,
      sabotage,
      mostFindings: 1,
    })
    expect(findings).toHaveLength(1)
  })
})

test(
  'a finding is shrunk to what matters, and printed as it goes over the wire',
  { timeout: 60_000 },
  async () => {
    const sabotage = SABOTAGES['answers 504 for 408']
    const tally = createTally()
    const [finding] = await runEpoch({
      seed: SEED,
      epoch: 2,
      recipes: MOST_RECIPES,
      maker,
      tally,
      sabotage,
      mostFindings: 1,
    })
    if (finding === undefined) throw new Error('nothing was found')
    const stillWrong = async (recipe: Finding['recipe']): Promise<boolean> =>
      (await rerun({ maker, tally, sabotage }, finding.declaration, recipe)) !== undefined
    const smallest = await shrinkRecipe(finding.recipe, stillWrong)
    expect(await stillWrong(smallest)).toBe(true)
    const parts =
      smallest.bodySpoils.length + (smallest.payment?.spoils.length ?? 0) + Number(smallest.inputSpoilt)
    expect(parts).toBeLessThanOrEqual(1)
    expect(reportFinding(finding, smallest, maker)).toMatch(/\| POST http:\/\/agent\.test\/execute/)
  },
)
