import { randomBytes } from 'node:crypto'
import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import pg from 'pg'
import { builtFile } from '../stage/start-server.ts'
import { DBOS_APP, DBOS_QUEUE, DBOS_WORKFLOW } from './dbos-names.ts'
import { dropSchema, type FlowContender } from './flow-contenders.ts'
import { INPUT, signRun } from './three-steps.ts'

/** The same runs as workflows of DBOS, in a queue that all workers share. */
export async function dbosRuns(connectionString: string): Promise<FlowContender> {
  const schema = `flows_bench_dbos_${randomBytes(6).toString('hex')}`
  const pool = new pg.Pool({ connectionString, max: 4 })
  const crypto = await loadEvmCrypto({ curve: 'native' })
  await DBOS.migrate(connectionString, { schemaName: schema })
  const client = await DBOSClient.create({
    systemDatabaseUrl: connectionString,
    systemDatabaseSchemaName: schema,
    applicationName: DBOS_APP,
  })
  return {
    name: 'DBOS',
    program: builtFile('flows/dbos-worker.js'),
    environment: { DATABASE_URL: connectionString, DATABASE_SCHEMA: schema },
    async begin(count) {
      await client.deleteQueue(DBOS_QUEUE)
      await pool.query(`truncate ${schema}.workflow_status cascade`)
      const options = { queueName: DBOS_QUEUE, workflowName: DBOS_WORKFLOW, appVersion: '1' }
      for (let begun = 0; begun < count; begun += 8)
        await Promise.all(
          Array.from({ length: Math.min(8, count - begun) }, async () =>
            client.enqueue(options, await signRun(crypto), INPUT.text),
          ),
        )
    },
    async progress() {
      const { rows } = await pool.query<{ status: string; updated_at: string; started_at: string | null }>(
        `select status, updated_at, started_at_epoch_ms as started_at from ${schema}.workflow_status`,
      )
      const steps = await pool.query<{ count: number }>(
        `select count(*)::int as count from ${schema}.operation_outputs`,
      )
      const done = rows.filter(({ status }) => status === 'SUCCESS')
      const began = rows.flatMap(({ started_at: at }) => (at === null ? [] : [Number(at)]))
      return {
        done: done.length,
        jobs: steps.rows[0]?.count ?? 0,
        doneAtMs: done.map(({ updated_at: at }) => Number(at)),
        beganAtMs: began.length === 0 ? undefined : Math.min(...began),
        broken: rows.filter(({ status }) => status === 'ERROR').length,
      }
    },
    async close() {
      await client.destroy()
      await dropSchema(pool, schema)
      await pool.end()
    },
  }
}
