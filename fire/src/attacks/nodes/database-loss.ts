import { releaseOf } from '@farebox/facilitator/src/test-setup/payments-for-tests'
import { randomBytes } from 'node:crypto'
import { HOLD_EXTENSION } from '@farebox/payments/x402/facilitator-api'
import type { Score } from '../../battery.ts'
import type { Attack, AttackRun } from '../attack.ts'
import { startNodesStage, type NodesStage } from './nodes-stage.ts'
import type { StagedPayment } from './staged-payment.ts'
import { untilTrue } from './until-true.ts'
import { untilWritten } from './until-written.ts'

/** PostgreSQL fails over to a standby that lacks the last seconds, under a facilitator that keeps running. */
export const databaseLoss: Attack = {
  id: 'N3',
  rule: 'A charged payment stays charged and buys one job after its row is lost.',
  title: 'a PostgreSQL failover that loses rows',
  needs: [],
  async run({ size }: AttackRun): Promise<readonly Score[]> {
    const each = size === 'small' ? 1 : 3
    const stage = await startNodesStage()
    try {
      const make = async (): Promise<StagedPayment[]> => {
        const made: StagedPayment[] = []
        for (let count = 0; count < each; count += 1) made.push(await stage.payment())
        return made
      }
      const [unseen, held, released, fresh] = [await make(), await make(), await make(), await make()]
      for (const payment of held) await stage.verify(payment)
      for (const payment of released) {
        const verdict = await stage.verify(payment)
        if (verdict.kind === 'valid') await stage.release(releaseOf(payment.request, verdict))
      }
      const back = await takeSnapshot(stage)
      const charged = [...unseen, ...held, ...released]
      for (const payment of [...unseen, ...released]) await stage.verify(payment)
      const first = await Promise.all(charged.map(payment => stage.settle(payment)))
      if (first.some(({ kind }) => kind !== 'settled'))
        throw new Error('not all were charged before the loss')
      await untilWritten(stage, charged)
      await back()

      // An agent that did not get the answer asks again; and somebody tries the same authorizations for other jobs.
      const others = charged.map(forAnotherJob)
      const again = await Promise.all(charged.map(payment => stage.settle(payment)))
      const stolen = await Promise.all(
        others.map(async payment => {
          await stage.verify(payment)
          return await stage.settle(payment)
        }),
      )
      let served = 0
      const servedMs = await untilTrue(async () => {
        const outcomes = await Promise.all(
          fresh.map(async payment => {
            await stage.verify(payment)
            return await stage.settle(payment)
          }),
        )
        served = outcomes.filter(({ kind }) => kind === 'settled').length
        return served === fresh.length
      })
      const transfers = await Promise.all(charged.map(payment => stage.transfers(payment)))
      return [
        {
          test: 'charged, and told so when asked again',
          reached: `${again.filter(({ kind }) => kind === 'settled').length} of ${charged.length}`,
          target: 'all',
          isMet: again.every(({ kind }) => kind === 'settled'),
        },
        {
          test: 'second jobs paid by the same authorizations',
          reached: `${stolen.filter(({ kind }) => kind === 'settled').length} of ${others.length}`,
          target: 'none',
          isMet: stolen.every(({ kind }) => kind !== 'settled'),
        },
        {
          test: 'transfers of each',
          reached: `${Math.min(...transfers)} to ${Math.max(...transfers)}`,
          target: '1',
          isMet: transfers.every(count => count === 1),
        },
        {
          test: 'new payments settled',
          reached: `${served} of ${fresh.length} ${servedMs === undefined ? '' : `within ${(servedMs / 1_000).toFixed(1)} s`}`,
          target: 'all',
          isMet: servedMs !== undefined,
        },
      ]
    } finally {
      await stage.stop()
    }
  },
}

function forAnotherJob(payment: StagedPayment): StagedPayment {
  const binding = `0x${randomBytes(32).toString('hex')}`
  return { ...payment, request: { ...payment.request, extensions: { [HOLD_EXTENSION]: { binding } } } }
}

/** Copies every table of the ledger; the returned function puts the copies back. */
async function takeSnapshot({ database, schema }: NodesStage): Promise<() => Promise<void>> {
  const { rows } = await database.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = $1 and tablename <> 'migrations'`,
    [schema],
  )
  const tables = rows.map(({ name }) => name)
  for (const name of tables)
    await database.query(`create table ${schema}.copy_of_${name} as select * from ${schema}.${name}`)
  return async () => {
    const puts = tables.map(
      name =>
        `insert into ${schema}.${name} overriding system value select * from ${schema}.copy_of_${name};`,
    )
    const all = tables.map(name => `${schema}.${name}`).join(', ')
    // Rows of a standby come as they are: no trigger fires, no reference is checked.
    await database.query(
      `begin; set local session_replication_role = replica; truncate ${all}; ${puts.join(' ')} commit`,
    )
  }
}
