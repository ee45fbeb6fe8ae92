import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { callOnce } from '../processes/call-once.ts'
import type { ChildExit } from '../starting/child-exit.ts'
import { claimFolder } from '../processes/claim-folder.ts'
import { endProcess } from '../processes/end-process.ts'
import { endWithUs } from '../processes/end-with-us.ts'
import { readGlibcVersion } from '../processes/glibc.ts'
import { openClusterFolder } from './cluster-folder.ts'
import type { ClusterFolder } from './cluster-folder.ts'
import { DATABASE_USER_NAME, createCluster } from './create-cluster.ts'
import { chooseDatabaseUser } from './database-user.ts'
import { findPostgresPackage, preparePrograms } from './postgres-programs.ts'
import { removeStaleLock } from './postmaster.ts'
import { awaitReady, spawnPostmaster, type SpawnedPostmaster } from './spawn-postmaster.ts'

/** A fast shutdown first writes the data in memory to disk. */
const STOP_GRACE_MS = 60_000

export interface StartPostgresOptions {
  /** The folder of the database; created at the first start. */
  readonly folder: string
  /** The port on 127.0.0.1; by default a free one, which may differ at each start. */
  readonly port?: number
  /**
   * The folder for the files when root starts PostgreSQL in a folder that the database user cannot reach; default
   * /var/lib/farebox.
   */
  readonly systemFolder?: string
  /** The folder for a copy of the programs when they cannot run from node_modules; by default a cache folder. */
  readonly cacheFolder?: string
  /**
   * Receives a line for each event that is worth logging: a server of an earlier run was ended, files are in another
   * folder.
   */
  readonly onLog?: (line: string) => void
  /** Receives a description of the current activity, until PostgreSQL has started. */
  readonly onActivity?: (activity: string) => void
  /**
   * The advice for the error message when PostgreSQL does not start, in the imperative; by default to use another server.
   */
  readonly advice?: string
  /** Aborting it while PostgreSQL starts cancels the start. Later it has no effect; call `stop` instead. */
  readonly signal?: AbortSignal
}

/** A running PostgreSQL 18 server. */
export interface LocalPostgres {
  /** "postgres://farebox:…@127.0.0.1:5433/postgres". It contains the password and must not be logged. */
  readonly connectionString: string
  readonly port: number
  /** The pid of the server. */
  readonly pid: number
  /** Resolves with the end of its log when the server ends, whether or not `stop` was called; never rejects. */
  readonly exited: Promise<ChildExit>
  /** Performs a fast shutdown: open transactions are rolled back, everything committed is on disk. May be called twice. */
  readonly stop: () => Promise<void>
}

/**
 * Starts PostgreSQL from the programs that npm installed. The first start creates the database, which takes about a second.
 *
 * The server listens on 127.0.0.1 only and requires a random password, which is kept in the folder and readable by its
 * owner only. Committed data is on disk (fsync is on). The server ends with this process, even after `kill -9`. If its
 * guard was killed too, the next start ends the server. Root runs it as user 65534.
 *
 * @throws Error when PostgreSQL does not run on this machine (set DATABASE_URL then), when the port is taken (the message
 * names the process), or when another launcher uses the folder
 * @example
 * ```ts
 * import { startPostgres } from '@farebox/local/postgres/start-postgres'
 *
 * const database = await startPostgres({ folder: '.farebox/postgres' })
 * process.env['DATABASE_URL'] = database.connectionString
 * await database.stop()
 * ```
 */
export async function startPostgres(options: StartPostgresOptions): Promise<LocalPostgres> {
  options.signal?.throwIfAborted()
  const folder = resolve(options.folder)
  const claim = await claimFolder(folder, 'database')
  try {
    const { cluster, postmaster } = await openDatabase(folder, options)
    const stopGuard = endWithUs(postmaster.process.pid, 'INT')
    const password = (await readFile(cluster.password, 'utf8')).trim()
    return {
      connectionString: `postgres://${DATABASE_USER_NAME}:${password}@127.0.0.1:${postmaster.port}/postgres`,
      port: postmaster.port,
      pid: postmaster.process.pid,
      exited: postmaster.exited,
      stop: callOnce(async () => {
        await endProcess(postmaster.process, 'SIGINT', STOP_GRACE_MS)
        stopGuard()
        await claim.release()
      }),
    }
  } catch (error) {
    await claim.release()
    throw error
  }
}

interface OpenDatabase {
  readonly cluster: ClusterFolder
  readonly postmaster: SpawnedPostmaster
}

async function openDatabase(folder: string, options: StartPostgresOptions): Promise<OpenDatabase> {
  const { onLog = () => undefined, onActivity, port, signal, advice } = options
  const { systemFolder = '/var/lib/farebox', cacheFolder = defaultCacheFolder() } = options
  const packageFolder = findPostgresPackage(process.platform, process.arch, readGlibcVersion())
  const user = await chooseDatabaseUser(join(folder, 'cluster'))
  const cluster = await openClusterFolder({ folder, user, systemFolder, onLog })
  onActivity?.('preparing PostgreSQL')
  const programs = await preparePrograms(packageFolder, user, cacheFolder)
  onActivity?.('creating the database')
  await createCluster(programs, cluster, user)
  await endLeftBehind(cluster, options)
  onActivity?.('starting PostgreSQL')
  return { cluster, postmaster: await spawnPostmaster({ programs, cluster, user, port, signal, advice }) }
}

/**
 * Ends the server of a run that was killed. The server is either about to end or its guard was killed too, so it is not
 * reused.
 */
async function endLeftBehind(
  cluster: ClusterFolder,
  { signal, onLog = () => undefined }: StartPostgresOptions,
): Promise<void> {
  const running = await awaitReady(cluster, undefined, { signal })
  if (running === undefined) return await removeStaleLock(cluster.data)
  onLog(`ending PostgreSQL, process ${running.process.pid}, which an earlier run left behind`)
  await endProcess(running.process, 'SIGINT', STOP_GRACE_MS)
}

function defaultCacheFolder(): string {
  return process.getuid?.() === 0 ? '/var/cache/farebox' : join(homedir(), '.cache', 'farebox')
}
