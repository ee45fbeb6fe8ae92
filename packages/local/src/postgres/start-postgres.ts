import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { callOnce } from '../call-once.ts'
import { claimFolder } from '../claim-folder.ts'
import { endProcess } from '../end-process.ts'
import { readGlibcVersion } from '../glibc.ts'
import { openClusterFolder } from './cluster-folder.ts'
import type { ClusterFolder } from './cluster-folder.ts'
import { DATABASE_USER_NAME, createCluster } from './create-cluster.ts'
import { chooseDatabaseUser } from './database-user.ts'
import { findPostgresPackage, preparePrograms } from './postgres-programs.ts'
import { removeStaleLock } from './postmaster.ts'
import type { Postmaster } from './postmaster.ts'
import { awaitReady, spawnPostmaster } from './spawn-postmaster.ts'

/** A fast shutdown writes what is in memory to disk first. */
const STOP_GRACE_MS = 60_000

export interface StartPostgresOptions {
  /** Where the database is kept; made at the first start. */
  readonly folder: string
  /** On 127.0.0.1. Without it, a free one, another at each start. */
  readonly port?: number
  /**
   * Where the files go when root starts it in a folder that its user cannot reach; default /var/lib/farebox.
   */
  readonly systemFolder?: string
  /**
   * Where a copy of the programs goes when they cannot run from node_modules; default a folder for caches.
   */
  readonly cacheFolder?: string
  /**
   * Receives a line when something worth a log happens: a running server is taken over, files are elsewhere.
   */
  readonly onLog?: (line: string) => void
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
 * committed is on disk (fsync is on). A server that a crash of ours left running is taken over. Root runs it
 * as user 65534.
 *
 * @throws Error when PostgreSQL does not run on this machine (set DATABASE_URL then), the port is taken
 * (naming by whom), or the folder is in use by another launcher
 */
export async function startPostgres(options: StartPostgresOptions): Promise<LocalPostgres> {
  options.signal?.throwIfAborted()
  const folder = resolve(options.folder)
  const claim = await claimFolder(folder, 'database')
  try {
    const { cluster, postmaster } = await openDatabase(folder, options)
    const password = (await readFile(cluster.password, 'utf8')).trim()
    return {
      connectionString: `postgres://${DATABASE_USER_NAME}:${password}@127.0.0.1:${postmaster.port}/postgres`,
      port: postmaster.port,
      pid: postmaster.process.pid,
      stop: callOnce(async () => {
        await endProcess(postmaster.process, 'SIGINT', STOP_GRACE_MS)
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
  readonly postmaster: Postmaster
}

async function openDatabase(folder: string, options: StartPostgresOptions): Promise<OpenDatabase> {
  const { onLog = () => undefined, port, signal } = options
  const { systemFolder = '/var/lib/farebox', cacheFolder = defaultCacheFolder() } = options
  const packageFolder = findPostgresPackage(process.platform, process.arch, readGlibcVersion())
  const user = await chooseDatabaseUser(join(folder, 'cluster'))
  const cluster = await openClusterFolder({ folder, user, systemFolder, onLog })
  const programs = await preparePrograms(packageFolder, user, cacheFolder)
  await createCluster(programs, cluster, user)
  const leftRunning = await takeOver(cluster, options)
  const postmaster = leftRunning ?? (await spawnPostmaster({ programs, cluster, user, port, signal }))
  return { cluster, postmaster }
}

/** The server that an earlier run left behind, unless the caller wants another port than it has. */
async function takeOver(
  cluster: ClusterFolder,
  options: StartPostgresOptions,
): Promise<Postmaster | undefined> {
  const { port, signal, onLog = () => undefined } = options
  const running = await awaitReady(cluster, () => false, signal)
  if (running === undefined) {
    await removeStaleLock(cluster.data)
    return undefined
  }
  const { pid } = running.process
  if (port === undefined || port === running.port) {
    onLog(`taking over PostgreSQL, process ${pid}, which an earlier run left behind on port ${running.port}`)
    return running
  }
  onLog(`ending PostgreSQL, process ${pid}, which an earlier run left behind on port ${running.port}`)
  await endProcess(running.process, 'SIGINT', STOP_GRACE_MS)
  return undefined
}

function defaultCacheFolder(): string {
  return process.getuid?.() === 0 ? '/var/cache/farebox' : join(homedir(), '.cache', 'farebox')
}
