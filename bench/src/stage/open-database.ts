import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { startPostgres } from '@farebox/local/postgres/start-postgres'
import type { ProcessGroup } from '../rounds/cpu-time.ts'
import type { Stage } from './stage.ts'

/** A PostgreSQL of a scene. */
export interface SceneDatabase {
  readonly url: string
  /** None where it is somebody else's: its CPU time is not to be read then. */
  readonly processes: ProcessGroup
}

/** `DATABASE_URL` where it is set, else a server of our own, whose CPU time can then be read too. */
export async function openDatabase(stage: Stage): Promise<SceneDatabase> {
  const given = process.env['DATABASE_URL']
  if (given !== undefined && given !== '') return { url: given, processes: { pids: [] } }
  // Two builds that are compared have one each.
  const postgres = await startPostgres({ folder: join(stage.folder, `postgres-${randomUUID()}`) })
  stage.onStrike(postgres.stop)
  return { url: postgres.connectionString, processes: { pids: [postgres.pid], family: true } }
}
