import { beforeAll, expect, test } from 'vitest'
import { fuzz } from './battery.ts'
import { createPaymentMaker, type PaymentMaker } from './generate/payment-maker.ts'
import { runRound } from './run/run-round.ts'
import { SABOTAGES } from './run/sabotages.ts'

const SEED = 20_270_101

let maker: PaymentMaker
beforeAll(async () => {
  maker = await createPaymentMaker()
})

test('the small form of the fuzz reaches its targets and finds nothing', async () => {
  const doing = new Set<string>()
  const { scores, findings } = await fuzz.run({
    size: 'small',
    seed: SEED,
    signal: new AbortController().signal,
    progress: progress => doing.add(progress.doing),
  })
  expect(findings).toEqual([])
  expect(scores.filter(({ isMet }) => !isMet)).toEqual([])
  expect(scores).toHaveLength(3)
  expect([...doing]).toEqual(['made-up requests', 'broken bytes'])
})

test.each(Object.entries(SABOTAGES))('an agent that %s is detected', async (_, sabotage) => {
  expect(await runRound({ seed: 'fixed', maker, sabotage })).toBeDefined()
})

test('a finding among random requests is reproduced by its seed and path', async () => {
  const sabotage = SABOTAGES['answers 504 for 408']
  if (sabotage === undefined) throw new Error('nothing is sabotaged')
  const found = await runRound({ seed: SEED, maker, sabotage })
  const again = await runRound({ seed: SEED, path: found?.path, maker, sabotage })
  const whatOf = (finding: typeof found) => finding?.text.replace(/again .*/, '')
  expect(found).toBeDefined()
  expect(whatOf(again)).toEqual(whatOf(found))
})
