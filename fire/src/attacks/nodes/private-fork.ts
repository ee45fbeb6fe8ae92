import { startChain } from '@farebox/local/chain/start-chain'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { Score } from '../../battery.ts'
import type { Attack, AttackRun } from '../attack.ts'
import { answeredBy } from './faulty-node.ts'
import { startNodesStage } from './nodes-stage.ts'
import type { StagedPayment } from './staged-payment.ts'
import { untilTrue } from './until-true.ts'

/** A private fork: every answer fits every other, and nobody else has these blocks. */
export const privateFork: Attack = {
  id: 'N2',
  rule: 'A receipt of one lying node delivers nothing where a second node is honest, and everything is paid later.',
  title: 'a node on a fork of its own',
  needs: [],
  async run({ size }: AttackRun): Promise<readonly Score[]> {
    const count = size === 'small' ? 1 : 3
    const scores: Score[] = []
    for (const hasSecondNode of [false, true]) {
      const stage = await startNodesStage({ hasSecondNode, limits: { reconcileMs: 60_000 } })
      try {
        const payments: StagedPayment[] = []
        for (let made = 0; made < count; made += 1) payments.push(await stage.payment())
        for (const payment of payments) await stage.verify(payment)
        const fork = await startFork(stage.chain.rpcUrl)
        try {
          stage.node.fault = answeredBy(fork.rpc)
          const outcomes = await Promise.all(payments.map(payment => stage.settle(payment)))
          const delivered = outcomes.filter(({ kind }) => kind === 'settled').length
          stage.node.fault = undefined
          let paid = 0
          await untilTrue(async () => {
            const transfers = await Promise.all(payments.map(payment => stage.transfers(payment)))
            paid = transfers.filter(one => one === 1).length
            return paid === payments.length
          })
          if (hasSecondNode)
            scores.push({
              test: 'delivered, with a second node that is honest',
              reached: `${delivered} of ${count}`,
              target: 'none',
              isMet: delivered === 0,
            })
          scores.push({
            test: `paid when the node is honest again, ${hasSecondNode ? 'with' : 'without'} a second node`,
            reached: `${paid} of ${count}`,
            target: 'all',
            isMet: paid === count,
          })
        } finally {
          await fork.stop()
        }
      } finally {
        await stage.stop()
      }
    }
    return scores
  },
}

/** Another anvil on the state of the first, from where it goes its own way. */
async function startFork(
  rpcUrl: string,
): Promise<{ readonly rpc: ReturnType<typeof createJsonRpc>; stop(): Promise<void> }> {
  const other = await startChain({ blockTimeSeconds: 1 })
  const rpc = createJsonRpc(other.rpcUrl)
  await rpc.call('anvil_reset', [{ forking: { jsonRpcUrl: rpcUrl } }])
  return {
    rpc,
    async stop() {
      await rpc.close()
      await other.stop()
    },
  }
}
