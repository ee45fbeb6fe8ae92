import { randomBytes } from 'node:crypto'
import type { Ledger } from '@farebox/facilitator/ledger/ledger'
import { openPostgresLedger } from '@farebox/facilitator/ledger/postgres/postgres-ledger'
import { createSchema, TEST_DATABASE_URL } from '@farebox/facilitator/src/test-setup/start-stack'
import { openStorage } from '@farebox/platform/storage/open-storage'
import { until } from '@farebox/protocol/src/test-setup/until'
import { systemClock as clock } from '@farebox/server/clock'
import pg from 'pg'
import type { Score } from '../../battery.ts'
import type { Attack } from '../attack.ts'
import { startPgBouncer } from './pgbouncer.ts'

const ADVICE = /DATABASE_DIRECT_URL/

/** DATABASE_URL leads to PgBouncer in transaction mode, as hosted databases offer it. */
export const behindPgBouncer: Attack = {
  id: 'P1',
  rule: 'Programs work behind PgBouncer in transaction mode, or refuse to start and name the setting.',
  title: 'PgBouncer in transaction mode',
  needs: ['pgbouncer'],
  async run({ size }) {
    const [ledgerSchema, platformSchema] = [await createSchema(), await createSchema()]
    const schemas = { ledger: ledgerSchema.schema, platform: platformSchema.schema }
    try {
      return [
        await refusal(schemas, 'settings refused, DATABASE_DIRECT_URL unset', []),
        await refusal(schemas, 'settings dropped, DATABASE_DIRECT_URL unset', [
          'statement_timeout',
          'options',
        ]),
        ...(await work(schemas, size === 'small' ? 100 : 2_000)),
      ]
    } finally {
      await ledgerSchema.drop()
      await platformSchema.drop()
    }
  },
}

interface Schemas {
  readonly ledger: string
  readonly platform: string
}

/** Nobody said that there is a pooler: the programs must not start. */
async function refusal(schemas: Schemas, test: string, ignores: readonly string[]): Promise<Score> {
  const bouncer = await startPgBouncer(TEST_DATABASE_URL, ignores)
  const connectionString = bouncer.url
  const wordsOf = (error: unknown): string => String(error)
  try {
    const said = await Promise.all([
      openPostgresLedger({ connectionString, schema: schemas.ledger, clock }).then(async ledger => {
        await ledger.close()
        return 'it opened'
      }, wordsOf),
      openStorage({ connectionString, schema: schemas.platform }).then(async database => {
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
  }
}

/** As the docs say it is set up: settings of the role, and the server's own URL beside. */
async function work(schemas: Schemas, requests: number): Promise<readonly Score[]> {
  const role = `attack_role_${randomBytes(6).toString('hex')}`
  const direct = new URL(TEST_DATABASE_URL)
  direct.username = role
  const settings = `alter role ${role} in database ${direct.pathname.slice(1)} set`
  await onServer(
    `create role ${role} superuser login; ${settings} statement_timeout = '10s'; ${settings} search_path = ${schemas.platform}, public`,
  )
  const bouncer = await startPgBouncer(direct.href, [])
  try {
    const pooled = { connectionString: bouncer.url, directConnectionString: direct.href }
    const ledger = await openPostgresLedger({ ...pooled, schema: schemas.ledger, clock })
    const other = await openPostgresLedger({ ...pooled, schema: schemas.ledger, clock })
    const ledgerFailed = await failuresOf(requests, count => useLedger(ledger, count))
    await untilNotified(ledger, other)
    await ledger.close()
    await other.close()
    const { pool, inTransaction } = await openStorage({ ...pooled, schema: schemas.platform })
    const platformFailed = await failuresOf(requests, count =>
      inTransaction(client => client.query('select $1::integer as number, count(*) from agents', [count])),
    )
    await pool.end()
    const row = (test: string, failed: number): Score => ({
      test,
      reached: `${failed} of ${requests}`,
      target: 'none',
      isMet: failed === 0,
    })
    return [
      row('requests to the ledger that failed, whose notifications reach another process', ledgerFailed),
      row('requests to the platform’s database that failed', platformFailed),
    ]
  } finally {
    await bouncer.stop()
    await onServer(`drop owned by ${role} cascade; drop role ${role}`)
  }
}

/** What is asked most, in groups and alone. */
async function useLedger({ payments, leases, totals }: Ledger, count: number): Promise<void> {
  await payments.find([`nobody ${count}`])
  await payments.release({ holdId: `nothing ${count}`, binding: 'none', owner: 'owner' })
  await leases.acquire({ network: 'n', relayer: `r ${count % 7}` }, 'holder', 1_000)
  await totals('n', 1)
}

async function failuresOf(requests: number, act: (count: number) => Promise<unknown>): Promise<number> {
  const outcomes = await Promise.allSettled(Array.from({ length: requests }, (_, count) => act(count)))
  return outcomes.filter(({ status }) => status === 'rejected').length
}

/** Resolves once a notification of one process's ledger has reached another's, by LISTEN. */
async function untilNotified(from: Ledger, to: Ledger): Promise<void> {
  let isNotified = false
  const unsubscribe = to.signals.subscribe(({ kind }) => {
    isNotified ||= kind === 'captured'
  })
  await until(async () => {
    await from.signals.publish({ kind: 'captured' })
    return isNotified
  })
  unsubscribe()
}

async function onServer(statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: TEST_DATABASE_URL })
  await client.connect()
  try {
    await client.query(statements)
  } finally {
    await client.end()
  }
}
