import { endWithUs } from '@farebox/local/src/processes/end-with-us'
import { startPostgres } from '@farebox/local/postgres/start-postgres'
import { killFamily } from './process-family.ts'
import type { ProcessRun } from './managed-process.ts'

/** A run of the database, and how it is reached. */
export interface DatabaseLife extends ProcessRun {
  readonly connectionString: string
}

/** Starts the PostgreSQL of the stage on its folder and its port; after a kill it repairs itself first. */
export async function startDatabase(options: {
  readonly folder: string
  readonly port: number
}): Promise<DatabaseLife> {
  const database = await startPostgres(options)
  const letLive = endWithUs(database.pid)
  const release = async (): Promise<void> => {
    letLive()
    // Gives the folder back, so that it can be started in again.
    await database.stop()
  }
  return {
    pid: database.pid,
    connectionString: database.connectionString,
    kill: async () => {
      await killFamily(database.pid)
      await release()
    },
    stop: release,
  }
}
