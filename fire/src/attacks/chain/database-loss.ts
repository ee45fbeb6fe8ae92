import { freshBinding, releaseOf } from '@farebox/facilitator/src/test-setup/payments-for-tests'
import { TEST_DATABASE_URL } from '@farebox/facilitator/src/test-setup/start-stack'
import { HOLD_EXTENSION } from '@farebox/payments/x402/facilitator-api'
import pg from 'pg'
import { scoreCount, type Attack } from '../attack.ts'
import { playOnChain, type ScenePayment } from './chain-scene.ts'

/** PostgreSQL fails over to a standby that lacks the last seconds, under a facilitator that keeps running. */
export const databaseLoss: Attack = {
  id: 'N3',
  rule: 'A charged payment stays charged and buys one job after its row is lost.',
  title: 'a PostgreSQL failover that loses rows',
  run: async ({ size }) =>
    await playOnChain(async ({ stack, facilitator, pay, verify, settle, untilState, countTransfers }) => {
      const each = size === 'small' ? 1 : 3
      const make = () => Promise.all(Array.from({ length: each }, () => pay()))
      const settleAll = async (payments: readonly ScenePayment[]): Promise<number> => {
        const outcomes = payments.map(async payment => {
          await verify(payment)
          return await settle(payment)
        })
        return (await Promise.all(outcomes)).filter(({ kind }) => kind === 'settled').length
      }
      const [unseen, held, released, fresh] = [await make(), await make(), await make(), await make()]
      for (const payment of held) await verify(payment)
      for (const payment of released) {
        const hold = releaseOf(payment.request, await verify(payment))
        await facilitator.client.release(hold, { timeoutMs: 600_000 })
      }
      const putBack = await copyTables(stack.schema)
      const charged = [...unseen, ...held, ...released]
      const all = charged.length
      if ((await settleAll(charged)) !== all) throw new Error('not all were charged before the loss')
      for (const payment of charged) await untilState(payment, 'settled')
      await putBack()

      // An agent without an answer asks again; and another caller tries the same authorizations for other jobs.
      const again = await Promise.all(charged.map(settle))
      const stolen = await settleAll(charged.map(forAnotherJob))
      const served = await settleAll(fresh)
      const once = (await countTransfers(charged)).filter(transfers => transfers === 1).length
      const said = again.filter(({ kind }) => kind === 'settled').length
      return [
        scoreCount('charged, and said to be so when asked again', said, all, all),
        scoreCount('second jobs paid by the same authorizations', stolen, 0, all),
        scoreCount('moved once', once, all, all),
        scoreCount('new payments settled', served, each, each),
      ]
    }),
}

function forAnotherJob(payment: ScenePayment): ScenePayment {
  const extensions = { [HOLD_EXTENSION]: { binding: freshBinding() } }
  return { ...payment, request: { ...payment.request, extensions } }
}

/** Copies every table of the ledger; the returned function puts the copies back. */
async function copyTables(schema: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: TEST_DATABASE_URL })
  await client.connect()
  const { rows } = await client.query<{ readonly name: string }>(
    `select tablename as name from pg_tables where schemaname = '${schema}' and tablename <> 'migrations'`,
  )
  const tables = rows.map(({ name }) => ({ table: `${schema}.${name}`, copy: `${schema}.copy_of_${name}` }))
  for (const { table, copy } of tables) await client.query(`create table ${copy} as table ${table}`)
  return async () => {
    const all = tables.map(({ table }) => table).join(', ')
    const puts = tables.map(
      ({ table, copy }) => `insert into ${table} overriding system value table ${copy};`,
    )
    // Rows of a standby are restored without triggers and reference checks.
    await client.query(
      `begin; set local session_replication_role = replica; truncate ${all}; ${puts.join(' ')} commit`,
    )
    await client.end()
  }
}
