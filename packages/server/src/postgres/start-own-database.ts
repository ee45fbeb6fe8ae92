import { EnvironmentError } from '../environment.ts'
import type { Log } from '../log.ts'
import type { End } from '../start-in-order.ts'

/**
 * Starts a PostgreSQL server that stores its files in a folder. The server packages contain none: an operator who installs
 * them on a server has a database, and the binaries of a local one are larger than all other files together.
 */
export type StartDatabase = (folder: string) => Promise<{
  /** `postgres://user:password@host:port/database` */
  readonly connectionString: string
  readonly port: number
  stop(): Promise<void>
}>

/**
 * Starts the program's own database when DATABASE_URL is unset, and resolves to its URL.
 *
 * Throws an {@link EnvironmentError} with `advice` when the program has none.
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
