import { NETWORK } from '@farebox/facilitator/src/test-setup/payments-for-tests'
import { startChain } from '@farebox/local/chain/start-chain'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { until } from '@farebox/protocol/src/test-setup/until'
import { scoreCount, type Attack } from '../attack.ts'
import { playOnChain } from './chain-scene.ts'

/** How often the second node is asked for the blocks of the first one. */
const DOUBTS = 5

/** A private fork: its answers are consistent with each other, and no other node has its blocks. */
export const privateFork: Attack = {
  id: 'N2',
  rule: 'A receipt of one lying node delivers nothing where a second node is honest, and everything is paid later.',
  title: 'a node on a fork of its own',
  async run({ size }) {
    let doubts = 0
    const fork = await startChain({ chainId: NETWORK.chainId })
    const forkRpc = createJsonRpc(fork.rpcUrl)
    try {
      return await playOnChain(
        async ({ stack, node, pay, verify, settle, countTransfers }) => {
          const count = size === 'small' ? 2 : 6
          const payments = await Promise.all(Array.from({ length: count }, () => pay()))
          for (const payment of payments) await verify(payment)
          await forkRpc.call('anvil_reset', [{ forking: { jsonRpcUrl: stack.chain.rpcUrl } }])
          node.fault = (method, parameters) => forkRpc.call(method, parameters)
          let delivered = 0
          const settling = payments.map(async payment => {
            if ((await settle(payment)).kind === 'settled') delivered += 1
          })
          await until(() => doubts >= DOUBTS)
          const early = delivered
          node.fault = undefined
          await Promise.all(settling)
          const once = (await countTransfers(payments)).filter(transfers => transfers === 1).length
          return [
            scoreCount('delivered by the word of the lying node', early, 0, count),
            scoreCount('delivered when the node is honest again', delivered, count, count),
            scoreCount('paid once then', once, count, count),
          ]
        },
        honest => ({
          ...honest,
          call: async (method, ...rest) => {
            if (method === 'eth_getTransactionReceipt') doubts += 1
            return await honest.call(method, ...rest)
          },
        }),
      )
    } finally {
      await forkRpc.close()
      await fork.stop()
    }
  },
}
