import { EnvironmentError } from '../environment.ts'
import type { Log } from '../log.ts'
import type { End } from '../start-in-order.ts'

/**
 * Brings a PostgreSQL that keeps its files in a folder. No package of a server has one: whoever installs it on a machine
 * of its own has a database, and the programs of a local one weigh more than everything else.
 */
export type StartDatabase = (folder: string) => Promise<{
  /** `postgres://user:password@host:port/database` */
  readonly connectionString: string
  readonly port: number
  stop(): Promise<void>
}>

/**
 * Starts the database that a program brings where DATABASE_URL is unset, and resolves to its URL.
 *
 * Throws an {@link EnvironmentError}, with `advice`, where it brings none.
 */
export async function startOwnDatabase(
  startDatabase: StartDatabase | undefined,
  { folder, advice }: { readonly folder: string; readonly advice: string },
  log: Log,
  started: End[],
): Promise<string> {
  if (startDatabase === undefined) throw new EnvironmentError(`DATABASE_URL is not set: ${advice}`)
  const { connectionString, port, stop } = await startDatabase(folder)
  started.push(stop)
  log.info('DATABASE_URL is not set: using a PostgreSQL server started for this purpose', { folder, port })
  return connectionString
}
