import { freshBinding, releaseOf } from '@farebox/facilitator/src/test-setup/payments-for-tests'
import { TEST_DATABASE_URL, type Stack } from '@farebox/facilitator/src/test-setup/start-stack'
import { HOLD_EXTENSION } from '@farebox/payments/x402/facilitator-api'
import pg from 'pg'
import type { Attack } from '../attack.ts'
import { playOnChain, type ScenePayment } from './chain-scene.ts'

/** PostgreSQL fails over to a standby that lacks the last seconds, under a facilitator that keeps running. */
export const databaseLoss: Attack = {
  id: 'N3',
  rule: 'A charged payment stays charged and buys one job after its row is lost.',
  title: 'a PostgreSQL failover that loses rows',
  needs: [],
  run: async ({ size }) =>
    await playOnChain(async ({ stack, token, facilitator, pay, verify, settle, untilState }) => {
      const each = size === 'small' ? 1 : 3
      const make = () => Promise.all(Array.from({ length: each }, () => pay()))
      const verifyAndSettle = async (payment: ScenePayment) => {
        await verify(payment)
        return await settle(payment)
      }
      const [unseen, held, released, fresh] = [await make(), await make(), await make(), await make()]
      for (const payment of held) await verify(payment)
      for (const payment of released) {
        const hold = releaseOf(payment.request, await verify(payment))
        await facilitator.client.release(hold, { timeoutMs: 600_000 })
      }
      const putBack = await copyTables(stack)
      const charged = [...unseen, ...held, ...released]
      const first = await Promise.all(charged.map(verifyAndSettle))
      if (first.some(({ kind }) => kind !== 'settled'))
        throw new Error('not all were charged before the loss')
      for (const payment of charged) await untilState(payment, 'settled')
      await putBack()

      // An agent that did not get the answer asks again; and somebody tries the same authorizations for other jobs.
      const again = await Promise.all(charged.map(settle))
      const stolen = await Promise.all(charged.map(forAnotherJob).map(verifyAndSettle))
      const served = await Promise.all(fresh.map(verifyAndSettle))
      const transfers = await Promise.all(
        charged.map(({ authorization }) => token.countTransfers(authorization.from)),
      )
      const settled = (outcomes: readonly { readonly kind: string }[]): number =>
        outcomes.filter(({ kind }) => kind === 'settled').length
      const count = (test: string, reached: number, of: number, target: number) => ({
        test,
        reached: `${reached} of ${of}`,
        target: `${target}`,
        isMet: reached === target,
      })
      const all = charged.length
      return [
        count('charged, and said to be so when asked again', settled(again), all, all),
        count('second jobs paid by the same authorizations', settled(stolen), all, 0),
        count('moved once', transfers.filter(one => one === 1).length, all, all),
        count('new payments settled', settled(served), fresh.length, fresh.length),
      ]
    }),
}

function forAnotherJob(payment: ScenePayment): ScenePayment {
  const extensions = { [HOLD_EXTENSION]: { binding: freshBinding() } }
  return { ...payment, request: { ...payment.request, extensions } }
}

/** Copies every table of the ledger; the returned function puts the copies back. */
async function copyTables({ schema }: Stack): Promise<() => Promise<void>> {
  const names = await query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = '${schema}' and tablename <> 'migrations'`,
  )
  const tables = names.map(({ name }) => ({ table: `${schema}.${name}`, copy: `${schema}.copy_of_${name}` }))
  for (const { table, copy } of tables) await query(`create table ${copy} as select * from ${table}`)
  return async () => {
    const all = tables.map(({ table }) => table).join(', ')
    const puts = tables.map(
      ({ table, copy }) => `insert into ${table} overriding system value select * from ${copy};`,
    )
    // Rows of a standby come as they are: no trigger fires, no reference is checked.
    await query(
      `begin; set local session_replication_role = replica; truncate ${all}; ${puts.join(' ')} commit`,
    )
  }
}

async function query<Row extends pg.QueryResultRow>(text: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: TEST_DATABASE_URL })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}
