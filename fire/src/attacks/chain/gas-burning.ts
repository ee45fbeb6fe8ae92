import { PRICE } from '@farebox/facilitator/src/test-setup/payments-for-tests'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { until } from '@farebox/protocol/src/test-setup/until'
import type { Score } from '../../battery.ts'
import type { Attack } from '../attack.ts'
import { playOnChain, type ChainScene, type NodeFault, type ScenePayment } from './chain-scene.ts'

/** Gas that one payment with unknown code may take, once for each payer: see docs/operating-the-facilitator.md. */
const GAS_A_PAYER = 130_000

/** `return isValidSignature.selector`, whatever was asked (EIP-1271). */
const SAY_YES = '631626ba7e60e01b5f5260205ff3'
/** Says yes where nobody sent the transaction, as in an `eth_call` without `from`, and burns all gas in a block. */
const ORIGIN_BURNING_CODE = `0x3215600657fe5b${SAY_YES}`
/** Says yes in every second block and burns all gas in the others: no trial in one block can foresee the next. */
const PARITY_BURNING_CODE = `0x4360011615600957fe5b${SAY_YES}`

/** Payers whose code says yes whenever it is tried and burns all its gas in a block. */
export const gasBurning: Attack = {
  id: 'S1',
  rule: 'The code of a payer burns the gas of one attempt at most.',
  title: 'payers whose code burns all gas in a block',
  needs: [],
  run: async ({ size }) =>
    await playOnChain(async scene => {
      const { rpc } = scene.stack
      const payers = size === 'full' ? 5 : 2
      const scores = [
        await burn(scene, {
          what: 'code that knows a trial by its sender',
          code: ORIGIN_BURNING_CODE,
          payers,
        }),
        await burn(scene, { what: 'code that changes with each block', code: PARITY_BURNING_CODE, payers }),
      ]
      // Another block comes after each transaction: it would be tried again in one where the code says yes.
      const sendAndMine: NodeFault = async (method, parameters) => {
        try {
          return await rpc.call(method, parameters)
        } finally {
          await rpc.call('evm_mine', [])
        }
      }
      scene.node.fault = (method, parameters) =>
        method.startsWith('eth_sendRawTransaction') ? sendAndMine(method, parameters) : undefined
      const what = 'code that says yes to each trial'
      return [...scores, await burn(scene, { what, code: PARITY_BURNING_CODE, payers, each: 1 })]
    }),
}

interface Burning {
  readonly what: string
  readonly code: string
  readonly payers: number
  /** Authorizations of each payer. */
  readonly each?: number
}

async function burn(scene: ChainScene, { what, code, payers, each = 10 }: Burning): Promise<Score> {
  const { rpc } = scene.stack
  const firstBlock = Number(await rpc.call('eth_blockNumber', [])) + 1
  const froms: string[] = []
  const payments: ScenePayment[] = []
  for (let payer = 0; payer < payers; payer += 1) {
    const key = await scene.stack.createPayer(PRICE * BigInt(each))
    const made = await Promise.all(Array.from({ length: each }, () => scene.pay(key)))
    const from = made[0]?.authorization.from ?? ''
    await rpc.call('anvil_setCode', [from, code])
    froms.push(from)
    payments.push(...made)
  }
  // In a block where the code says yes.
  for (const payment of payments)
    await until(async () => {
      const isValid = (await scene.verify(payment)).kind === 'valid'
      if (!isValid) await rpc.call('evm_mine', [])
      return isValid
    })
  // Its answer is not waited for: a failure in a block is reported when the authorization has ended.
  for (const payment of payments) scene.settle(payment).catch(() => undefined)
  for (const payment of payments) await scene.untilState(payment, 'failed', 'settled')
  const burned = await readBurned(scene, firstBlock)
  const byPayer = froms.map(from => burned.filter(({ input }) => input.includes(from.slice(2).toLowerCase())))
  const attempts = Math.max(...byPayer.map(own => own.length))
  const gas = Math.max(...byPayer.map(own => own.reduce((sum, one) => sum + one.gas, 0)))
  return {
    test: `${what}: ${each} authorization${each === 1 ? '' : 's'} each of ${payers} payers`,
    reached: `${burned.length} reverted transactions, ${attempts} a payer at most, ${gas.toLocaleString('en')} gas`,
    target: `one a payer at most, ${GAS_A_PAYER.toLocaleString('en')} gas`,
    isMet: attempts <= 1 && gas <= GAS_A_PAYER,
  }
}

/** The relayer's reverted transactions, from a block on. */
async function readBurned(
  { stack: { rpc } }: ChainScene,
  firstBlock: number,
): Promise<readonly { readonly input: string; readonly gas: number }[]> {
  const relayer = TEST_KEYS.relayer.address.toLowerCase()
  const last = Number(await rpc.call('eth_blockNumber', []))
  const burned: { input: string; gas: number }[] = []
  for (let block = firstBlock; block <= last; block += 1) {
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
