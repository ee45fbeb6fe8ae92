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

/** A fast shutdown writes what is in memory to disk first. */
const STOP_GRACE_MS = 60_000

export interface StartPostgresOptions {
  /** The folder of the database; made at the first start. */
  readonly folder: string
  /** On 127.0.0.1. Without it, a free one, another at each start. */
  readonly port?: number
  /**
   * The folder for the files when root starts it in a folder that its user cannot reach; default /var/lib/farebox.
   */
  readonly systemFolder?: string
  /**
   * The folder for a copy of the programs when they cannot run from node_modules; default a folder for caches.
   */
  readonly cacheFolder?: string
  /**
   * Receives a line when something worth a log happens: a server that was left is ended, files are elsewhere.
   */
  readonly onLog?: (line: string) => void
  /** Receives what is being done, until it has started. */
  readonly onActivity?: (activity: string) => void
  /** The advice where it does not start, in the imperative; default to use another server. */
  readonly advice?: string
  /** Aborting it while PostgreSQL starts gives up the start. Afterwards it does nothing; call `stop`. */
  readonly signal?: AbortSignal
}

/** A running PostgreSQL 18 server. */
export interface LocalPostgres {
  /** "postgres://farebox:…@127.0.0.1:5433/postgres". Holds the password: not for logs. */
  readonly connectionString: string
  readonly port: number
  /** The pid of the server. */
  readonly pid: number
  /** Resolves when the server ends, also without `stop`, with the end of its log; never rejects. */
  readonly exited: Promise<ChildExit>
  /**
   * A fast shutdown: open transactions are rolled back, everything committed is on disk. May be called twice.
   */
  readonly stop: () => Promise<void>
}

/**
 * Starts PostgreSQL from the programs that npm installed; the first start makes the database (about a
 * second).
 *
 * It listens on 127.0.0.1 alone and wants a random password, kept in the folder for its owner's eyes. What is
 * committed is on disk (fsync is on). It ends with us, even by `kill -9`; a server that is left all the same,
 * because its guard was killed too, is ended by the next start. Root runs it as user 65534.
 *
 * @throws Error when PostgreSQL does not run on this machine (set DATABASE_URL then), the port is taken
 * (naming by whom), or the folder is in use by another launcher
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

/** What a run that was killed left behind is about to end, or its guard was killed too: it is not relied on. */
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
