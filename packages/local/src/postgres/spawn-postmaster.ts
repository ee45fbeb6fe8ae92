import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endProcess } from '../processes/end-process.ts'
import { findFreePort } from '../processes/free-port.ts'
import { portTaken } from '../processes/port-taken-error.ts'
import type { ClusterFolder } from './cluster-folder.ts'
import { POSTGRES_ENVIRONMENT } from './create-cluster.ts'
import type { DatabaseUser } from './database-user.ts'
import { findPostmaster } from './postmaster.ts'
import type { Postmaster } from './postmaster.ts'

/** Includes the repair after a crash, which reads the whole write-ahead log since the last checkpoint. */
const READY_TIMEOUT_MS = 120_000
const LOOK_EVERY_MS = 20
/** A port found free may be taken before PostgreSQL listens; so often we look for another one. */
const PORT_ATTEMPTS = 5

export interface SpawnPostmasterOptions {
  /** The folder with PostgreSQL's `bin`. */
  readonly programs: string
  readonly cluster: ClusterFolder
  readonly user: DatabaseUser | undefined
  /** undefined: a free one. */
  readonly port: number | undefined
  readonly signal: AbortSignal | undefined
}

/**
 * Starts PostgreSQL on an existing database and waits until it takes connections. It outlives us unless it is
 * ended: see `endWithUs`.
 *
 * @throws Error when the port is taken, naming by whom, and when PostgreSQL fails otherwise, with the end of
 * its log
 */
export async function spawnPostmaster(options: SpawnPostmasterOptions): Promise<Postmaster> {
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await findFreePort())
    const isStarting = await spawnOn(port, options)
    const postmaster = await awaitReady(options.cluster, isStarting, options.signal)
    if (postmaster !== undefined) return postmaster
    const log = await readFile(options.cluster.log, 'utf8')
    if (!log.includes('Address already in use')) {
      throw new Error(`PostgreSQL ended while it started:\n${log.trim()}`)
    }
    if (options.port !== undefined) throw await portTaken(port, 'PostgreSQL')
    if (attempt === PORT_ATTEMPTS) throw new Error(`PostgreSQL found ${PORT_ATTEMPTS} free ports taken again`)
  }
}

/**
 * Waits until the server of a database takes connections.
 *
 * @param isStarting - whether a server may yet appear that has not written its lock file
 * @param signal - aborting it ends the server and rejects with the signal's reason
 * @returns undefined when no server runs and none will appear
 * @throws Error when it is still not ready after two minutes
 */
export async function awaitReady(
  cluster: ClusterFolder,
  isStarting: () => boolean,
  signal: AbortSignal | undefined,
): Promise<Postmaster | undefined> {
  for (let waitedMs = 0; waitedMs < READY_TIMEOUT_MS; waitedMs += LOOK_EVERY_MS) {
    // Asked first: a server that ends between the two questions has not been missed.
    const mayAppear = isStarting()
    const postmaster = await findPostmaster(cluster.data)
    if (postmaster?.isReady === true || (postmaster === undefined && !mayAppear)) return postmaster
    if (postmaster !== undefined && signal?.aborted === true) {
      await endProcess(postmaster.process, 'SIGINT', READY_TIMEOUT_MS)
      signal.throwIfAborted()
    }
    await delay(LOOK_EVERY_MS)
  }
  throw new Error(`PostgreSQL is not ready after ${READY_TIMEOUT_MS / 1000} s; it says why in ${cluster.log}`)
}

/** @returns a function that tells whether the program still runs */
async function spawnOn(port: number, options: SpawnPostmasterOptions): Promise<() => boolean> {
  const { programs, cluster, user } = options
  const log = await open(cluster.log, 'w', 0o600)
  try {
    const child = spawn(join(programs, 'bin', 'postgres'), listArguments(cluster, port), {
      cwd: cluster.path,
      env: POSTGRES_ENVIRONMENT,
      stdio: ['ignore', log.fd, log.fd],
      // Ctrl-C in a terminal must not end it before those who use it.
      detached: true,
      ...user,
    })
    await once(child, 'spawn')
    child.unref()
    return () => child.exitCode === null && child.signalCode === null
  } finally {
    await log.close()
  }
}

function listArguments(cluster: ClusterFolder, port: number): string[] {
  // The folder first and in this form: findPostmaster knows the server by it.
  return [
    '-D',
    cluster.data,
    '--listen_addresses=127.0.0.1',
    `--port=${port}`,
    // A socket in a folder that everyone can enter would be one more door.
    '--unix_socket_directories=',
    '--log_checkpoints=off',
  ]
}
