import { setTimeout as delay } from 'node:timers/promises'
import type { Score } from '../../battery.ts'
import type { Attack, AttackRun } from '../attack.ts'
import { inventReceipts, type Invention } from './faulty-node.ts'
import { startNodesStage, type NodesStage } from './nodes-stage.ts'
import type { StagedPayment } from './staged-payment.ts'
import { untilTrue } from './until-true.ts'

/** Where an invented receipt says its transaction was mined. */
const INVENTIONS: readonly (Invention & { readonly name: string })[] = [
  { name: 'in the newest block', blockNumber: newest => newest, hasEvents: true },
  { name: 'in block 1', blockNumber: () => 1n, hasEvents: true },
  { name: 'a million blocks ahead', blockNumber: newest => newest + 1_000_000n, hasEvents: true },
]

/** Swallows transactions and answers with receipts that prove them. */
export const inventedReceipts: Attack = {
  name: 'a node that swallows transactions and invents receipts',
  before:
    '3 of 3 delivered unpaid, in the newest block, in block 1 and a million blocks ahead; with forged numbers outside the ' +
    'last 128 blocks others saw rows still settled after 21 minutes',
  async run({ size }: AttackRun): Promise<readonly Score[]> {
    const each = size === 'small' ? 1 : 4
    const stage = await startNodesStage({ limits: { reconcileMs: 5_000 } })
    try {
      const delivered: string[] = []
      const payments: StagedPayment[] = []
      for (const invention of INVENTIONS) {
        const some: StagedPayment[] = []
        for (let count = 0; count < each; count += 1) some.push(await stage.payment())
        payments.push(...some)
        stage.node.fault = inventReceipts(some, invention)
        delivered.push(...(await settleAll(stage, some, invention.name)))
      }
      stage.node.fault = undefined
      const paid = await countPaid(stage, payments)
      return [
        {
          test: 'jobs delivered while the node lies',
          reached: `${delivered.length} of ${payments.length}${delivered.length > 0 ? `: ${delivered.join(', ')}` : ''}`,
          target: 'none',
          isMet: delivered.length === 0,
        },
        {
          test: 'payments made within 60 s when the node is honest again',
          reached: `${paid} of ${payments.length}`,
          target: 'all',
          isMet: paid === payments.length,
        },
      ]
    } finally {
      await stage.stop()
    }
  },
}

/** Says success of transactions that it swallowed, with nothing in their receipts. */
export const emptySuccesses: Attack = {
  name: 'a node that says success falsely',
  before:
    '2 of 2 failed after three attempts each, 2 payers at fault on record, and none paid when the node was honest again',
  async run({ size }: AttackRun): Promise<readonly Score[]> {
    const count = size === 'small' ? 2 : 6
    const stage = await startNodesStage()
    try {
      const payments: StagedPayment[] = []
      for (let made = 0; made < count; made += 1) payments.push(await stage.payment())
      stage.node.fault = inventReceipts(payments, { blockNumber: newest => newest, hasEvents: false })
      await settleAll(stage, payments, 'delivered')
      await delay(size === 'small' ? 3_000 : 15_000)
      const { rows } = await stage.database.query<{ failed: number; attempts: number; blamed: number }>(
        `select count(*) filter (where state = 'failed')::integer as failed,
          coalesce(sum(attempts), 0)::integer as attempts,
          (select count(*) from ${stage.schema}.payer_failures)::integer as blamed from ${stage.schema}.payments`,
      )
      const { failed = -1, attempts = -1, blamed = -1 } = rows[0] ?? {}
      stage.node.fault = undefined
      const paid = await countPaid(stage, payments)
      return [
        {
          test: 'held against payments and payers',
          reached: `${failed} failed, ${attempts} attempts used, ${blamed} payers at fault`,
          target: 'nothing',
          isMet: failed === 0 && attempts === 0 && blamed === 0,
        },
        {
          test: 'payments made within 60 s when the node is honest again',
          reached: `${paid} of ${count}`,
          target: 'all',
          isMet: paid === count,
        },
      ]
    } finally {
      await stage.stop()
    }
  },
}

async function settleAll(
  stage: NodesStage,
  payments: readonly StagedPayment[],
  name: string,
): Promise<readonly string[]> {
  const outcomes = await Promise.all(
    payments.map(async payment => {
      await stage.verify(payment)
      return await stage.settle(payment)
    }),
  )
  return outcomes.filter(({ kind }) => kind === 'settled').map(() => name)
}

/** On the honest chain. */
async function countPaid(stage: NodesStage, payments: readonly StagedPayment[]): Promise<number> {
  let paid = 0
  await untilTrue(60_000, async () => {
    const transfers = await Promise.all(payments.map(payment => stage.transfers(payment)))
    paid = transfers.filter(count => count === 1).length
    return paid === payments.length
  })
  return paid
}
