import type { Ledger } from '@farebox/facilitator/ledger/ledger'
import { openPostgresLedger } from '@farebox/facilitator/ledger/postgres/postgres-ledger'
import { openStorage } from '@farebox/platform/storage/open-storage'
import { systemClock } from '@farebox/server/clock'
import pg from 'pg'
import type { Score } from '../../battery.ts'
import type { Attack, AttackRun } from '../attack.ts'
import { untilTrue } from '../stage/until-true.ts'
import { freshName, startPgBouncer } from './pgbouncer.ts'

const DATABASE_URL = process.env['FAREBOX_TEST_DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/test'
const ADVICE = /DATABASE_DIRECT_URL/

/** DATABASE_URL leads to PgBouncer in transaction mode, as hosted databases offer it. */
export const behindPgBouncer: Attack = {
  id: 'P1',
  rule: 'Programs work behind PgBouncer in transaction mode, or refuse to start and name the setting.',
  title: 'PgBouncer in transaction mode',
  needs: ['pgbouncer'],
  async run({ size }: AttackRun): Promise<readonly Score[]> {
    const requests = size === 'small' ? 100 : 2_000
    return [
      await refusal('settings refused, DATABASE_DIRECT_URL unset', ''),
      await refusal('settings dropped, DATABASE_DIRECT_URL unset', 'statement_timeout, options'),
      ...(await work(requests)),
    ]
  },
}

/** Nobody said that there is a pooler: the programs must not start. */
async function refusal(test: string, ignores: string): Promise<Score> {
  const bouncer = await startPgBouncer(DATABASE_URL, ignores)
  const schemas = [freshName('attack_access'), freshName('attack_access')]
  try {
    const said = await Promise.all([
      openPostgresLedger({
        connectionString: bouncer.url,
        schema: schemas[0] ?? '',
        clock: systemClock,
      }).then(async ledger => {
        await ledger.close()
        return 'it opened'
      }, wordsOf),
      openStorage({ connectionString: bouncer.url, schema: schemas[1] ?? '' }).then(async database => {
        await database.pool.end()
        return 'it opened'
      }, wordsOf),
    ])
    return {
      test,
      reached: said.map(words => (ADVICE.test(words) ? 'refused, says what to set' : words)).join(' · '),
      target: 'both refuse and say what to set',
      isMet: said.every(words => ADVICE.test(words)),
    }
  } finally {
    await bouncer.stop()
    await withServer(async client => {
      for (const schema of schemas) await client.query(`drop schema if exists ${schema} cascade`)
    })
  }
}

/** As the docs say it is set up: settings of the role, and the server's own URL beside. */
async function work(requests: number): Promise<readonly Score[]> {
  const [schema, platformSchema, role] = [
    freshName('attack_access'),
    freshName('attack_access'),
    freshName('attack_role'),
  ]
  const direct = new URL(DATABASE_URL)
  direct.username = role
  await withServer(async client => {
    await client.query(`create role ${role} superuser login`)
    await client.query(
      `alter role ${role} in database ${direct.pathname.slice(1)} set statement_timeout = '10s'`,
    )
    await client.query(
      `alter role ${role} in database ${direct.pathname.slice(1)} set search_path = ${platformSchema}, public`,
    )
  })
  const bouncer = await startPgBouncer(direct.href, '')
  try {
    const pooled = { connectionString: bouncer.url, directConnectionString: direct.href }
    const ledger = await openPostgresLedger({ ...pooled, schema, clock: systemClock })
    const other = await openPostgresLedger({ ...pooled, schema, clock: systemClock })
    const failed = await failuresOf(requests, count => useLedger(ledger, count))
    const heardMs = await hears(ledger, other)
    await ledger.close()
    await other.close()
    const database = await openStorage({ ...pooled, schema: platformSchema })
    const platformFailed = await failuresOf(
      requests,
      async count =>
        await database.inTransaction(async client => {
          await client.query('select $1::integer as number, count(*) from agents', [count])
        }),
    )
    await database.pool.end()
    return [
      {
        test: 'requests to the ledger that failed',
        reached: `${failed} of ${requests}`,
        target: 'none',
        isMet: failed === 0,
      },
      {
        test: 'a signal to another process',
        reached: heardMs === undefined ? 'not heard' : 'heard',
        target: 'heard',
        isMet: heardMs !== undefined,
      },
      {
        test: 'requests to the platform’s database that failed',
        reached: `${platformFailed} of ${requests}`,
        target: 'none',
        isMet: platformFailed === 0,
      },
    ]
  } finally {
    await bouncer.stop()
    await withServer(async client => {
      await client.query(
        `drop schema if exists ${schema} cascade; drop schema if exists ${platformSchema} cascade`,
      )
      await client.query(`drop owned by ${role} cascade; drop role ${role}`)
    })
  }
}

/** What is asked most, in groups and alone. */
async function useLedger({ payments, leases, totals }: Ledger, count: number): Promise<void> {
  await payments.find([`nobody ${count}`])
  await payments.release({ holdId: `nothing ${count}`, binding: 'none', owner: 'owner' })
  await leases.acquire({ network: 'n', relayer: `r ${count % 7}` }, 'holder', 1_000)
  await totals('n', 1)
}

async function failuresOf(requests: number, act: (count: number) => Promise<void>): Promise<number> {
  const outcomes = await Promise.allSettled(Array.from({ length: requests }, (_, count) => act(count)))
  return outcomes.filter(({ status }) => status === 'rejected').length
}

/** How long a signal takes from one process’s ledger to another’s, by LISTEN; undefined where it does not come. */
async function hears(from: Ledger, to: Ledger): Promise<number | undefined> {
  let isHeard = false
  const unsubscribe = to.signals.subscribe(({ kind }) => {
    isHeard ||= kind === 'captured'
  })
  const heardMs = await untilTrue(async () => {
    await from.signals.publish({ kind: 'captured' })
    return isHeard
  })
  unsubscribe()
  return heardMs
}

async function withServer(act: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: DATABASE_URL })
  await client.connect()
  try {
    await act(client)
  } finally {
    await client.end()
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
