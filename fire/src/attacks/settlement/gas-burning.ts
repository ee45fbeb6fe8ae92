import { HANG_MS } from '../nodes/until-true.ts'
import type { Score } from '../../battery.ts'
import type { Attack } from '../attack.ts'
import { ORIGIN_BURNING_CODE, PARITY_BURNING_CODE } from './payer-code.ts'
import { startSettlementStage, type Owner, type SettlementStage } from './settlement-stage.ts'

const BLOCK_SECONDS = 1
/** Gas that one payment with unknown code may take, once for each payer: see docs/operating-the-facilitator.md. */
const GAS_A_PAYER = 130_000

/**
 * Payers whose code says yes whenever it is tried and burns all its gas in a block: some that know a trial by its
 * missing sender, some that change their mind with each block.
 */
export const gasBurning: Attack = {
  id: 'S1',
  rule: 'The code of a payer burns the gas of one attempt at most.',
  title: 'payers whose code burns all gas in a block',
  needs: [],
  async run({ size, signal }) {
    const stage = await startSettlementStage(BLOCK_SECONDS)
    try {
      const payers = size === 'full' ? 10 : 2
      return [
        await burn(stage, 'code that knows a trial by its sender', ORIGIN_BURNING_CODE, payers, signal),
        await burn(stage, 'code that changes with each block', PARITY_BURNING_CODE, payers, signal),
        await burn(stage, 'code that changes with each block, a lone payer', PARITY_BURNING_CODE, 1, signal),
      ]
    } finally {
      await stage.stop()
    }
  },
}

async function burn(
  stage: SettlementStage,
  what: string,
  code: string,
  payers: number,
  signal: AbortSignal,
): Promise<Score> {
  const before = await stage.spentGas()
  // One that has staked for an agent: a free secret gets no gas for accounts with code.
  const owner = await stage.owner()
  const made = await Promise.all(Array.from({ length: payers }, () => stage.payer(code)))
  await Promise.all(
    made.flatMap(payer =>
      Array.from({ length: 10 }, async () => {
        const payment = await stage.sign(payer, owner)
        const verdict = await owner.verify(payment)
        if (verdict.kind === 'valid') await untilDecided(owner, payment, signal)
      }),
    ),
  )
  const { reverted, revertedGas } = await stage.spentGas()
  const gas = revertedGas - before.revertedGas
  const bound = payers * GAS_A_PAYER
  return {
    test: `${what}: ${10 * payers} authorizations of ${payers} payer${payers === 1 ? '' : 's'}`,
    reached: `${gas.toLocaleString('en')} gas in ${reverted - before.reverted} reverted transactions`,
    target: `at most ${bound.toLocaleString('en')} gas, one attempt a payer`,
    isMet: gas <= bound && reverted - before.reverted <= payers,
  }
}

async function untilDecided(
  owner: Owner,
  payment: Parameters<Owner['settle']>[0],
  signal: AbortSignal,
): Promise<void> {
  const until = Date.now() + HANG_MS
  while (Date.now() < until && !signal.aborted) {
    const outcome = await owner.settle(payment)
    if (outcome.kind !== 'unknown') return
  }
}
