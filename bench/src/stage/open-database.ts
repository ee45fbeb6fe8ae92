import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { startPostgres } from '@farebox/local/postgres/start-postgres'
import { openStorage } from '@farebox/platform/storage/open-storage'
import pg from 'pg'
import type { ProcessGroup } from '../rounds/cpu-time.ts'
import type { Stage } from './stage.ts'

/** A PostgreSQL of a scene. */
export interface SceneDatabase {
  readonly url: string
  /** None if it is not ours: its CPU time cannot be read then. */
  readonly processes: ProcessGroup
}

/** A schema in it that is dropped when the scene ends. */
export interface OwnSchema extends SceneDatabase {
  readonly schema: string
}

/** `DATABASE_URL` if it is set, else our own server, whose CPU time can then be read too. */
export async function openDatabase(stage: Stage): Promise<SceneDatabase> {
  const given = process.env['DATABASE_URL']
  if (given !== undefined && given !== '') return { url: given, processes: { pids: [] } }
  // Two compared builds have one each.
  const postgres = await startPostgres({ folder: join(stage.folder, `postgres-${randomUUID()}`) })
  stage.onStrike(postgres.stop)
  return { url: postgres.connectionString, processes: { pids: [postgres.pid], family: true } }
}

/** A unique schema name. */
export function nameSchema(stage: Stage, database: SceneDatabase): OwnSchema {
  const schema = `farebox_bench_${randomBytes(6).toString('hex')}`
  stage.onStrike(() =>
    withDatabase(database, client => client.query(`drop schema if exists ${schema} cascade`)),
  )
  return { ...database, schema }
}

/** A schema with the platform's empty tables. */
export async function openSchema(stage: Stage): Promise<OwnSchema> {
  const own = nameSchema(stage, await openDatabase(stage))
  const storage = await openStorage({ connectionString: own.url, schema: own.schema })
  await storage.pool.end()
  return own
}

/** Opens a connection for one task. */
export async function withDatabase<T>(
  { url }: Pick<SceneDatabase, 'url'>,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
