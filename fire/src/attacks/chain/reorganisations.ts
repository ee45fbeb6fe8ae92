import { NETWORK } from '@farebox/facilitator/src/test-setup/payments-for-tests'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { until } from '@farebox/protocol/src/test-setup/until'
import type { Score } from '../../battery.ts'
import type { Attack } from '../attack.ts'
import { playOnChain, type ChainScene, type ScenePayment } from './chain-scene.ts'

/** Blocks on top of the settlement, which are replaced with it. */
const DEPTH = 3

/** Blocks are replaced by others in which the money, or the nonce, is used for another transfer. */
export const conflictingReorganisations: Attack = {
  id: 'N1',
  rule: 'A settlement undone for good is counted and logged as lost; any other is paid again.',
  title: 'reorganisations with conflicting transactions',
  run: async () =>
    await Promise.all([
      reorganise('the payer cancels', 'lost', async ({ token }, { payerKey, authorization }) => {
        await token.cancel(payerKey, authorization.nonce)
      }),
      reorganise('the payer’s money is gone', 'lost', async ({ token }, { payerKey }) => {
        await token.drain(payerKey)
      }),
      reorganise('the relayer’s nonce is used otherwise', 'paid', async ({ stack }) => {
        const transfer = { from: TEST_KEYS.relayer.address, to: TEST_KEYS.stranger.address, value: '0x1' }
        await stack.rpc.call('eth_sendTransactionSync', [transfer])
      }),
    ]),
}

/** Settles a payment, and replaces its blocks by others that begin with a conflicting transaction. */
async function reorganise(
  name: string,
  end: 'lost' | 'paid',
  conflict: (scene: ChainScene, payment: ScenePayment) => Promise<void>,
): Promise<Score> {
  return await playOnChain(async scene => {
    const { stack, token, node, facilitator, errors } = scene
    const payment = await scene.pay()
    await scene.verify(payment)
    const before = await stack.rpc.call('evm_snapshot', [])
    await scene.settle(payment)
    await scene.untilState(payment, 'settled')
    await stack.rpc.call('anvil_mine', [DEPTH])
    // The facilitator sees both at the same moment.
    node.fault = () => Promise.reject(new Error('the node is busy'))
    await stack.rpc.call('evm_revert', [before])
    await conflict(scene, payment)
    await stack.rpc.call('anvil_mine', [DEPTH])
    node.fault = undefined
    await scene.untilState(payment, 'captured', 'submitted', 'failed')
    if (end === 'lost') await endAuthorization(scene, payment)
    const { state } = await scene.untilState(payment, 'settled', 'failed')
    const transfers = await token.countTransfers(payment.authorization.from)
    const countLost = async (): Promise<string | undefined> => {
      const page = await facilitator.metrics.registry.metrics()
      return /^farebox_facilitator_payments_lost_total(?:\{.*\})? (\d+)$/m.exec(page)?.[1]
    }
    const isError = (): boolean => errors.some(message => message.includes('lost'))
    // The row is written before it is counted and reported.
    if (state === 'failed') await until(async () => (await countLost()) !== '0' && isError())
    const [lost, isSaid] = [await countLost(), isError()]
    const isLost = state === 'failed' && lost === '1' && isSaid
    return {
      test: `${name}: ${end === 'lost' ? 'the loss is counted and said' : 'paid again'}`,
      reached: `${state}, ${transfers} transfers, ${lost} counted as lost, ${isSaid ? 'an error' : 'no error'} in the log`,
      target: end === 'lost' ? '1 counted, an error in the log' : '1 transfer, none lost',
      isMet: end === 'lost' ? isLost : state === 'settled' && transfers === 1 && lost === '0' && !isSaid,
    }
  })
}

/** A loss is certain once the authorization can never be used again: until then the payer may get money. */
async function endAuthorization(
  { stack, clock }: ChainScene,
  { authorization }: ScenePayment,
): Promise<void> {
  const seconds = Number(authorization.validBefore) + NETWORK.finalitySeconds + 2
  clock.aheadMs = seconds * 1_000 - Date.now()
  await stack.rpc.call('evm_setNextBlockTimestamp', [seconds])
  await stack.rpc.call('anvil_mine', [DEPTH])
}
