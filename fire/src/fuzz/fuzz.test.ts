import { beforeAll, describe, expect, test } from 'vitest'
import { createPaymentMaker, type PaymentMaker } from './generate/payment-draft.ts'
import { fuzzDeclarations } from './run/fuzz-declarations.ts'
import { runRound, type Finding } from './run/run-round.ts'
import { SABOTAGES } from './run/sabotages.ts'
import { createTally } from './run/tally.ts'
import { writeFinding } from './run/write-finding.ts'

let maker: PaymentMaker
beforeAll(async () => {
  maker = await createPaymentMaker()
})

test('every fault, behaviour, repeat and route is answered as foreseen', { timeout: 200_000 }, async () => {
  expect(await runRound({ seed: 'fixed', maker, tally: createTally() })).toBeUndefined()
})

test(
  'good declarations are accepted, spoilt ones get problems, and none throws',
  { timeout: 200_000 },
  () => {
    expect(fuzzDeclarations(20_270_101, 300)).toEqual([])
  },
)

describe('an agent that breaks a promise is caught', () => {
  test.each(Object.entries(SABOTAGES))('it %s', { timeout: 200_000 }, async (_, sabotage) => {
    const finding = await runRound({ seed: 'fixed', maker, tally: createTally(), sabotage, mostShrinks: 0 })
    expect(finding).toBeDefined()
  })
})

describe('a finding among random requests', () => {
  const seed = 20_270_101
  const sabotage = SABOTAGES['answers 504 for 408']
  let finding: Finding
  beforeAll(async () => {
    const found = await runRound({ seed, maker, tally: createTally(), sabotage })
    if (found === undefined) throw new Error('nothing was found')
    finding = found
  }, 200_000)

  test('is shrunk to what matters', () => {
    const { recipe } = finding
    if (recipe.kind !== 'execute') throw new Error(`it is of kind ${recipe.kind}`)
    const { bodySpoils, payment, inputSpoil } = recipe
    expect(bodySpoils.length + (payment?.spoils.length ?? 0) + Number(inputSpoil !== undefined)).toBeLessThan(
      2,
    )
  })

  test('is seen again by its seed and path', { timeout: 200_000 }, async () => {
    const { path, reason } = finding
    const again = await runRound({ seed, path, maker, tally: createTally(), sabotage, mostShrinks: 0 })
    expect(again?.reason).toBe(reason)
  })

  test('is printed as it goes over the wire', () => {
    expect(writeFinding(finding, seed, maker)).toMatch(/\| POST http:\/\/agent\.test\/execute/)
  })
})
