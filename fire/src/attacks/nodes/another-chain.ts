import { setTimeout as delay } from 'node:timers/promises'
import { fund } from '@farebox/local/chain/faucet'
import { startChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { Score } from '../../battery.ts'
import type { Attack, AttackRun } from '../attack.ts'
import { answeredBy } from './faulty-node.ts'
import { startNodesStage } from './nodes-stage.ts'
import type { StagedPayment } from './staged-payment.ts'
import { untilTrue } from './until-true.ts'

/** The URL leads to another chain with the same id and the same token for a while: a test network’s twin, a wrong route. */
export const anotherChain: Attack = {
  name: 'a whole other chain behind the node',
  before:
    '/ready true and nothing in the log; nothing was delivered only because the relayer’s nonces did not fit there',
  async run({ size }: AttackRun): Promise<readonly Score[]> {
    const count = size === 'small' ? 2 : 6
    const stage = await startNodesStage({ limits: { reconcileMs: 2_000 } })
    // Of two chains that begin within one second the first block is the same: they would be forks of one chain.
    await delay(1_100)
    const other = await startChain({ blockTimeSeconds: 1 })
    const rpc = createJsonRpc(other.rpcUrl)
    try {
      // Longer than the real one: nobody can take it for a node that is behind.
      await rpc.call('anvil_mine', ['0x64'])
      const payments: StagedPayment[] = []
      for (let made = 0; made < 3 * count; made += 1) {
        const payment = await stage.payment()
        await fund(other, payment.authorization.from, { usdcAtomic: 1_000_000n })
        payments.push(payment)
      }
      const [before, held, later] = [0, 1, 2].map(part => payments.slice(part * count, (part + 1) * count))
      for (const payment of before ?? []) {
        await stage.verify(payment)
        await stage.settle(payment)
      }
      for (const payment of held ?? []) await stage.verify(payment)
      stage.node.fault = answeredBy(rpc)
      const outcomes = await Promise.all([
        ...(held ?? []).map(payment => stage.settle(payment)),
        ...(later ?? []).map(async payment => {
          await stage.verify(payment)
          return await stage.settle(payment)
        }),
      ])
      const { status, body } = await stage.ready()
      // Time for comparisons of the ledger with it.
      await delay(size === 'small' ? 4_000 : 20_000)
      const sent = Number(await rpc.call('eth_getTransactionCount', [TEST_KEYS.relayer.address, 'latest']))
      const isNamed = stage.log.some(
        ({ level, message }) => level === 'error' && message.includes('unusable'),
      )
      stage.node.fault = undefined
      const delivered = outcomes.filter(({ kind }) => kind === 'settled').length
      const mustBePaid = [...(before ?? []), ...(held ?? [])]
      let paid = 0
      await untilTrue(40_000, async () => {
        const transfers = await Promise.all(mustBePaid.map(payment => stage.transfers(payment)))
        paid = transfers.filter(one => one === 1).length
        return paid === mustBePaid.length
      })
      const { rows } = await stage.database.query<{ wrong: number }>(
        `select count(*)::integer as wrong from ${stage.schema}.payments where state = 'failed'`,
      )
      return [
        {
          test: 'delivered while the other chain answers',
          reached: `${delivered} of ${outcomes.length}`,
          target: 'none',
          isMet: delivered === 0,
        },
        {
          test: 'transactions sent there',
          reached: String(sent),
          target: '0',
          isMet: sent === 0,
        },
        {
          test: '/ready, and the log',
          reached: `${status} ${body}${isNamed ? ', logged' : ', not logged'}`,
          target: '503, naming the chain, and an error in the log',
          isMet: status === 503 && body.includes('another chain') && isNamed,
        },
        {
          test: 'on the right chain again',
          reached: `${paid} of ${mustBePaid.length} paid, ${rows[0]?.wrong ?? '?'} recorded as failed`,
          target: 'all paid, none failed',
          isMet: paid === mustBePaid.length && rows[0]?.wrong === 0,
        },
      ]
    } finally {
      await stage.stop()
      await rpc.close()
      await other.stop()
    }
  },
}

/** A private fork: every answer fits every other, and nobody else has these blocks. */
export const privateFork: Attack = {
  name: 'a node on a fork of its own',
  before: '2 of 2 delivered unpaid, none paid within 30 s after the node was honest again',
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
          const tookMs = await untilTrue(30_000, async () => {
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
            reached: `${paid} of ${count} after ${tookMs === undefined ? 'more than 30' : (tookMs / 1_000).toFixed(1)} s`,
            target: 'all within 15 s',
            isMet: paid === count && tookMs !== undefined && tookMs <= 15_000,
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
