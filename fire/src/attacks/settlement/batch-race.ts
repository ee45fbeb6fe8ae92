import type { Score } from '../../battery.ts'
import type { Attack } from '../attack.ts'
import { BURNING_CODE } from './payer-code.ts'
import { startSettlementStage, type SettlementStage } from './settlement-stage.ts'

/** Long enough that the account gets its code before the block. */
const BLOCK_SECONDS = 3
const NEIGHBOURS = 5
/** Until the first payment is on its way. */
const LEAD_MS = 60

/** An ordinary account joins a batch, and has code that burns all gas before the batch is in a block. */
export const batchRace: Attack = {
  id: 'S2',
  rule: 'Each payment of a batch fails alone.',
  title: 'an account of a batch gets code before the block',
  needs: [],
  async run({ size, signal }) {
    const stage = await startSettlementStage(BLOCK_SECONDS)
    try {
      const rounds = size === 'full' ? 5 : 1
      const seen: Round[] = []
      for (let round = 0; round < rounds; round += 1) {
        signal.throwIfAborted()
        seen.push(await race(stage))
      }
      return score(seen)
    } finally {
      await stage.stop()
    }
  },
}

interface Round {
  readonly settled: number
  readonly reverted: number
  readonly raced: boolean
}

async function race(stage: SettlementStage): Promise<Round> {
  const before = await stage.spentGas()
  const [honest, dishonest] = [await stage.owner(), await stage.owner()]
  const racer = await stage.payer()
  let raced = false
  stage.onLog('transaction saved', ({ payments }) => {
    if (typeof payments !== 'number' || payments <= NEIGHBOURS || raced) return
    raced = true
    void stage.setCode(racer, BURNING_CODE)
  })
  const neighbours = await Promise.all(Array.from({ length: NEIGHBOURS }, () => stage.payer()))
  const payments = await Promise.all(neighbours.map(async payer => await stage.sign(payer, honest)))
  const racing = await stage.sign(racer, dishonest)
  // One that goes at once, so that the others gather behind it.
  const leading = await stage.sign(neighbours[0] ?? racer, honest)
  await Promise.all([...payments, leading].map(async payment => await honest.verify(payment)))
  await dishonest.verify(racing)
  const lead = honest.settle(leading)
  await new Promise(resolve => setTimeout(resolve, LEAD_MS))
  void dishonest.settle(racing)
  const outcomes = await Promise.all(payments.map(payment => honest.settle(payment)))
  await lead
  const after = await stage.spentGas()
  return {
    settled: outcomes.filter(({ kind }) => kind === 'settled').length,
    reverted: after.reverted - before.reverted,
    raced,
  }
}

function score(seen: readonly Round[]): readonly Score[] {
  const reverted = seen.reduce((sum, one) => sum + one.reverted, 0)
  const raced = seen.filter(one => one.raced).length
  const settled = seen.reduce((sum, one) => sum + one.settled, 0)
  return [
    {
      test: `${NEIGHBOURS} neighbours in a batch with it, ${raced} of ${seen.length} rounds raced`,
      reached: `${reverted} transactions reverted, ${settled} of ${seen.length * NEIGHBOURS} settled`,
      target: 'none reverted, all settled',
      isMet: raced > 0 && reverted === 0 && settled === seen.length * NEIGHBOURS,
    },
  ]
}
