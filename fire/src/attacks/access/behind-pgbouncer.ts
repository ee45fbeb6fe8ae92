import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ledger } from '@farebox/facilitator/ledger/ledger'
import { openPostgresLedger } from '@farebox/facilitator/ledger/postgres/postgres-ledger'
import { createSchema, TEST_DATABASE_URL } from '@farebox/facilitator/src/test-setup/start-stack'
import { openStorage } from '@farebox/platform/storage/open-storage'
import { until } from '@farebox/protocol/src/test-setup/until'
import { systemClock as clock } from '@farebox/protocol/time/clock'
import pg from 'pg'
import { freePort } from '../../../../e2e/stage/free-port.ts'
import type { Score } from '../../battery.ts'
import { startPgBouncer } from '../../failover/cluster/start-pgbouncer.ts'
import { findProgram, scoreCount, type Attack } from '../attack.ts'

/** DATABASE_URL points to PgBouncer in transaction mode, as at hosted databases. */
export const behindPgBouncer: Attack = {
  id: 'P1',
  rule: 'Programs work behind PgBouncer in transaction mode, or refuse to start and name the setting.',
  title: 'PgBouncer in transaction mode',
  needs: 'pgbouncer',
  async run({ size }) {
    const [ledger, platform] = [await createSchema(), await createSchema()]
    const schemas = { ledger: ledger.schema, platform: platform.schema }
    try {
      const refused = await behind(TEST_DATABASE_URL, url => refusal(schemas, url))
      return [refused, ...(await work(schemas, size === 'small' ? 100 : 2_000))]
    } finally {
      await ledger.drop()
      await platform.drop()
    }
  },
}

interface Schemas {
  readonly ledger: string
  readonly platform: string
}

/** No setting announces the pooler, and it refuses our connection settings: the programs must not start. */
async function refusal(schemas: Schemas, connectionString: string): Promise<Score> {
  const opened = await Promise.allSettled([
    openPostgresLedger({ connectionString, schema: schemas.ledger, clock }),
    openStorage({ connectionString, schema: schemas.platform }),
  ])
  const said = opened.map(outcome => (outcome.status === 'rejected' ? String(outcome.reason) : 'it opened'))
  const advised = said.filter(words => words.includes('DATABASE_DIRECT_URL')).length
  return scoreCount('programs that refuse to start without DATABASE_DIRECT_URL, and name it', advised, 2, 2)
}

/** Configured as the docs recommend: settings of the role, and the server's own URL besides. */
async function work(schemas: Schemas, requests: number): Promise<readonly Score[]> {
  const role = `attack_role_${randomBytes(6).toString('hex')}`
  const direct = new URL(TEST_DATABASE_URL)
  direct.username = role
  const settings = `alter role ${role} in database ${direct.pathname.slice(1)} set`
  await query(
    TEST_DATABASE_URL,
    `create role ${role} superuser login; ${settings} statement_timeout = '10s'; ${settings} search_path = ${schemas.platform}, public`,
  )
  try {
    return await behind(direct.href, async connectionString => {
      const pooled = { connectionString, directConnectionString: direct.href }
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
      const what = 'requests to the ledger that failed, whose notifications reach another process'
      return [
        scoreCount(what, ledgerFailed, 0, requests),
        scoreCount('requests to the platform’s database that failed', platformFailed, 0, requests),
      ]
    })
  } finally {
    await query(TEST_DATABASE_URL, `drop owned by ${role} cascade; drop role ${role}`)
  }
}

/** The most frequent queries, in groups and alone. */
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

/** Runs the attack with the URL of a PgBouncer in transaction mode. */
async function behind<Seen>(databaseUrl: string, play: (url: string) => Promise<Seen>): Promise<Seen> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-pgbouncer-'))
  await chmod(folder, 0o755)
  const path = findProgram('pgbouncer') ?? 'pgbouncer'
  const pooler = await startPgBouncer({ path, folder, port: await freePort(), databaseUrl })
  try {
    return await play(pooler.url)
  } finally {
    await pooler.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs statements on a separate connection. */
async function query(connectionString: string, statements: string): Promise<true> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(statements)
    return true
  } finally {
    await client.end()
  }
}
