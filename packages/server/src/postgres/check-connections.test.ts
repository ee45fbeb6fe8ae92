import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { EnvironmentError } from '../environment.ts'
import { checkConnections, type ExpectedConnections } from './check-connections.ts'

const connectionString = process.env['FAREBOX_TEST_DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/test'
const pools: pg.Pool[] = []
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.end()
})

/** Why connections with these startup options are refused; undefined when they are accepted. */
async function refusal(options: string, expected: ExpectedConnections): Promise<string | undefined> {
  const pool = new pg.Pool({ connectionString, max: 1, options })
  pools.push(pool)
  try {
    await checkConnections({ pool, schema: 'ours' }, expected)
    return undefined
  } catch (error) {
    if (error instanceof EnvironmentError) return error.message
    throw error
  }
}

const TIMED = '-c statement_timeout=10000'
const NOT_TIMED = '-c statement_timeout=0'

test('connections with a statement timeout and the schema first in their search path are accepted', async () => {
  const path = '-c search_path=ours,public'
  expect(await refusal(`${TIMED} ${path}`, { isPooled: true, searchPath: true })).toBeUndefined()
  expect(await refusal(`${TIMED} ${path}`, { isPooled: false, searchPath: true })).toBeUndefined()
})

test('a search path only matters if table names have no schema', async () => {
  expect(await refusal(TIMED, { isPooled: true, searchPath: false })).toBeUndefined()
  const why = await refusal(`${TIMED} -c search_path=public,ours`, { isPooled: true, searchPath: true })
  expect(why).toContain('set search_path = ours, public;')
  expect(why).not.toContain('statement_timeout')
})

test('a connection through a pooler: the statements to run for the role are named', async () => {
  const why = await refusal(NOT_TIMED, { isPooled: true, searchPath: false })
  expect(why).toMatch(/alter role \S+ in database \S+ set statement_timeout = '10s';/)
})

test('settings that do not take effect reveal a pooler that was not configured', async () => {
  const why = await refusal(NOT_TIMED, { isPooled: false, searchPath: false })
  expect(why).toMatch(/leads to a connection pooler: it drops the settings.*DATABASE_DIRECT_URL/)
})
