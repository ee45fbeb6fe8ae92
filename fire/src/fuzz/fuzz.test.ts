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
import { createTally } from './run/tally.ts'

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

test.each(['paid', 'dev'] as const)(
  'every handler behaviour is answered as foreseen, with payments %s',
  { timeout: 120_000 },
  async mode => {
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
  },
)

test(
  'good declarations are taken, spoilt ones answered with problems, and none throws',
  { timeout: 60_000 },
  () => {
    expect(fuzzDeclarations(SEED, 0, 300)).toEqual([])
  },
)

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
