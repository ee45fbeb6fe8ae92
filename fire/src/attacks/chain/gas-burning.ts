import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { until } from '@farebox/protocol/src/test-setup/until'
import type { Score } from '../../battery.ts'
import type { Attack } from '../attack.ts'
import { playOnChain, type ChainScene, type NodeFault, type ScenePayment } from './chain-scene.ts'

/** Gas that one payment with unknown code may take, once for each payer: see docs/operating-the-facilitator.md. */
const GAS_A_PAYER = 130_000

/**
 * Accepts in every second block (`return isValidSignature.selector`, EIP-1271) and burns all gas in the others: no
 * trial in one block can predict the next.
 */
const BURNING_CODE = '0x4360011615600957fe5b631626ba7e60e01b5f5260205ff3'

/** Payers whose code accepts in every trial and burns all its gas in a block. */
export const gasBurning: Attack = {
  id: 'S1',
  rule: 'The code of a payer burns the gas of one attempt at most.',
  title: 'payers whose code burns all gas in a block',
  run: async ({ size }) =>
    await playOnChain(async scene => {
      const { stack, node } = scene
      const { rpc } = stack
      const payments: ScenePayment[] = []
      for (let payer = 0; payer < (size === 'full' ? 5 : 2); payer += 1) {
        const payment = await scene.pay()
        await rpc.call('anvil_setCode', [payment.authorization.from, BURNING_CODE])
        payments.push(payment)
      }
      // In a block in which the code accepts.
      for (const payment of payments)
        await until(async () => {
          const isValid = (await scene.verify(payment)).kind === 'valid'
          if (!isValid) await rpc.call('evm_mine', [])
          return isValid
        })
      // Another block follows each transaction, so that the next trial is in a block in which the code accepts.
      const sendAndMine: NodeFault = async (method, parameters) => {
        try {
          return await rpc.call(method, parameters)
        } finally {
          await rpc.call('evm_mine', [])
        }
      }
      node.fault = (method, parameters) =>
        method.startsWith('eth_sendRawTransaction') ? sendAndMine(method, parameters) : undefined
      // Its answer is not awaited: a failure in a block is reported when the authorization has expired.
      for (const payment of payments) scene.settle(payment).catch(() => undefined)
      for (const payment of payments) await scene.untilState(payment, 'failed', 'settled')
      return [scoreBurned(await readBurned(stack), payments)]
    }),
}

function scoreBurned(burned: readonly Burned[], payments: readonly ScenePayment[]): Score {
  const byPayer = payments.map(({ authorization: { from } }) =>
    burned.filter(({ input }) => input.includes(from.slice(2).toLowerCase())),
  )
  const attempts = Math.max(...byPayer.map(own => own.length))
  const gas = Math.max(...byPayer.map(own => own.reduce((sum, one) => sum + one.gas, 0)))
  return {
    test: `code that says yes to each trial: one authorization each of ${payments.length} payers`,
    reached: `${burned.length} reverted transactions, ${attempts} a payer at most, ${gas.toLocaleString('en')} gas`,
    target: `one a payer at most, ${GAS_A_PAYER.toLocaleString('en')} gas`,
    isMet: attempts <= 1 && gas <= GAS_A_PAYER,
  }
}

interface Burned {
  readonly input: string
  readonly gas: number
}

/** The relayer's reverted transactions. */
async function readBurned({ rpc }: ChainScene['stack']): Promise<readonly Burned[]> {
  const relayer = TEST_KEYS.relayer.address.toLowerCase()
  const last = Number(await rpc.call('eth_blockNumber', []))
  const burned: Burned[] = []
  for (let block = 0; block <= last; block += 1) {
    const number = `0x${block.toString(16)}`
    const { transactions } = (await rpc.call('eth_getBlockByNumber', [number, true])) as {
      readonly transactions: readonly { readonly input: string }[]
    }
    const receipts = (await rpc.call('eth_getBlockReceipts', [number])) as readonly {
      readonly from: string
      readonly status: string
      readonly gasUsed: string
    }[]
    for (const [at, { from, status, gasUsed }] of receipts.entries())
      if (from.toLowerCase() === relayer && status !== '0x1')
        burned.push({ input: transactions[at]?.input ?? '', gas: Number(gasUsed) })
  }
  return burned
}
