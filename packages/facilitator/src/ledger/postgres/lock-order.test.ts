import { systemClock } from '@farebox/protocol/time/clock'
import pg from 'pg'
import { until } from '@farebox/protocol/src/test-setup/until'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSchema, hasPostgres, TEST_DATABASE_URL } from '../../test-setup/start-stack.ts'
import { openPostgresLedger } from './postgres-ledger.ts'

const KEYS = ['a', 'b', 'c']
/** The call of each statement that locks several payments, for `a`, `b` and `c` named in another order. */
const STATEMENTS: readonly (readonly [name: string, state: string, statement: string])[] = [
  ['captures', 'held', `select capture_together('[${['c', 'b', 'a'].map(captureJson).join()}]')`],
  ['holds', 'held', `select hold_together('[${['c', 'b', 'a'].map(holdJson).join()}]', 5, 600)`],
  [
    'submit',
    'captured',
    `select submit('n', 'r', 1, 1, '0x', '0x', 1, 1, array['c', 'b', 'a'], '2030-01-01')`,
  ],
  ['conclude', 'captured', `select conclude('[{"key":"c"},{"key":"b"},{"key":"a"}]', '[]', 0, 5, 600)`],
]

describe.skipIf(!(await hasPostgres()))('statements that lock several payments', () => {
  let schema: Awaited<ReturnType<typeof createSchema>>
  const clients: pg.Client[] = []

  beforeAll(async () => {
    schema = await createSchema()
    const opened = { connectionString: TEST_DATABASE_URL, schema: schema.schema, clock: systemClock }
    await (await openPostgresLedger(opened)).close()
    for (let count = 0; count < 3; count += 1) {
      const client = new pg.Client({ connectionString: TEST_DATABASE_URL })
      await client.connect()
      await client.query(`set search_path to ${schema.schema}`)
      clients.push(client)
    }
  })
  afterAll(async () => {
    for (const client of clients) await client.end()
    await schema.drop()
  })

  test.each(STATEMENTS)(
    '%s: locks them in the order of their keys, whatever order they are named in',
    async (_, state, statement) => {
      const [blocker, locker, watcher] = clients
      if (blocker === undefined || locker === undefined || watcher === undefined)
        throw new Error('no clients')
      await watcher.query(
        `delete from payments; delete from sender_leases;
      insert into sender_leases values ('n', 'r', 'h', 1, now() + interval '1 hour');
      insert into payments (key, network, asset, payer, pay_to, value, valid_after, valid_before, nonce, signature,
          binding, owner, secret_id, state, hold_id, hold_until, observed_block)
        select key, 'n', '', key, '', 1, 0, 9, '', '', 'b', 'o', 's', '${state}', key, 9, 0
        from unnest(array['a', 'b', 'c']) key`,
      )
      await blocker.query(`begin; select 1 from payments where key = 'b' for update`)
      const { rows } = await locker.query<{ pid: number }>('select pg_backend_pid() as pid')
      const locking = locker.query(`begin; ${statement}; rollback`)
      await untilBlocked(watcher, rows[0]?.pid ?? 0)
      const free: string[] = []
      for (const key of KEYS) {
        const locked = watcher.query(
          `begin; select 1 from payments where key = '${key}' for update nowait; rollback`,
        )
        await locked.then(
          () => free.push(key),
          () => watcher.query('rollback'),
        )
      }
      await blocker.query('rollback')
      await locking
      // It holds `a`, waits for `b`, and has not reached `c`.
      expect(free).toEqual(['c'])
    },
  )
})

function captureJson(key: string): string {
  return JSON.stringify({
    key,
    binding: 'b',
    owner: 'o',
    pay_to: '',
    value: 1,
    valid_after: 0,
    valid_before: 9,
  })
}

function holdJson(key: string): string {
  const terms = {
    key,
    network: 'n',
    asset: '',
    payer: key,
    pay_to: '',
    value: 1,
    valid_after: 0,
    valid_before: 9,
  }
  const request = {
    nonce: '',
    signature: '',
    binding: 'b',
    owner: 'o',
    secret_id: 's',
    hold_id: `again ${key}`,
  }
  return JSON.stringify({
    ...terms,
    ...request,
    hold_until: 9,
    now: 1,
    balance: 9,
    block: 1,
    alone: false,
    limits: { daily_settlements: {}, open: 9, open_alone: 9, reverted_gas: 9 },
  })
}

/** Resolves when the connection of that process waits for a row that another one holds. */
async function untilBlocked(watcher: pg.Client, pid: number): Promise<void> {
  const text = `select 1 from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`
  await until(async () => (await watcher.query(text, [pid])).rowCount === 1)
}
