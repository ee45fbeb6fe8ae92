import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readProcess } from 'farebox/internal/command-line'
import type { ChildExit } from '../starting/child-exit.ts'
import { endProcess } from '../processes/end-process.ts'
import { findFreePort } from '../processes/free-port.ts'
import { portTaken } from '../processes/port-taken-error.ts'
import { describeEnd, NotStartedError } from '../starting/not-started-error.ts'
import { askUntilStarted, StartLimitError, type Timer } from '../starting/wait-for-start.ts'
import type { ClusterFolder } from './cluster-folder.ts'
import { POSTGRES_ENVIRONMENT } from './create-cluster.ts'
import type { DatabaseUser } from './database-user.ts'
import { USE_ANOTHER_DATABASE } from './postgres-programs.ts'
import { findPostmaster } from './postmaster.ts'
import type { Postmaster } from './postmaster.ts'

/** A fast shutdown first writes the data in memory to disk. */
const STOP_GRACE_MS = 60_000
const LOOK_EVERY_MS = 20
/** Another process may take a free port before PostgreSQL listens. This many ports are tried. */
const PORT_ATTEMPTS = 5

export interface SpawnPostmasterOptions {
  /** The folder that contains PostgreSQL's `bin`. */
  readonly programs: string
  readonly cluster: ClusterFolder
  readonly user: DatabaseUser | undefined
  /** `undefined` selects a free port. */
  readonly port: number | undefined
  readonly signal: AbortSignal | undefined
  /**
   * The advice for the error message when the server does not start, in the imperative; by default to use another server.
   */
  readonly advice?: string | undefined
  /** Default: the timers of this process. */
  readonly timer?: Timer
}

/** A server that was started, with a promise for its end. */
export interface SpawnedPostmaster extends Postmaster {
  /** Resolves when its process ends; never rejects. */
  readonly exited: Promise<ChildExit>
}

/**
 * Starts PostgreSQL on an existing database and waits until it accepts connections. The server outlives this process unless
 * it is ended: see `endWithUs`.
 *
 * @throws Error when the port is taken (the message names the process), and when PostgreSQL fails for another reason, with
 * the end of its log
 */
export async function spawnPostmaster(options: SpawnPostmasterOptions): Promise<SpawnedPostmaster> {
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await findFreePort())
    const server = await spawnOn(port, options)
    const postmaster = await awaitReady(options.cluster, server, options)
    if (postmaster !== undefined) return { ...postmaster, exited: server.exited }
    const log = await readFile(options.cluster.log, 'utf8')
    if (!log.includes('Address already in use'))
      throw notStarted(describeEnd(await server.exited), { ...options, log })
    if (options.port !== undefined) throw await portTaken(port, 'PostgreSQL')
    if (attempt === PORT_ATTEMPTS) throw new Error(`PostgreSQL found ${PORT_ATTEMPTS} free ports taken again`)
  }
}

/** A server that has been started and may not have written its lock file yet. */
interface StartedServer {
  readonly exited: Promise<ChildExit>
  /** Whether its process lives. */
  isAlive(): boolean
  /** Ends it, resolving when it has ended. */
  end(): Promise<void>
}

/**
 * Waits until the server of a database accepts connections, for as long as its process lives (see `waitForStart`): after a
 * crash the server first reads the whole write-ahead log since the last checkpoint.
 *
 * @param own - the server that this process started, or `undefined` when only one of an earlier run may exist
 * @param options.signal - aborting it ends the server and rejects with the signal's reason
 * @returns `undefined` when no server runs and none will start
 * @throws NotStartedError when the server hangs; it is ended first
 */
export async function awaitReady(
  cluster: ClusterFolder,
  own: Pick<StartedServer, 'isAlive' | 'end'> | undefined,
  options: { readonly signal?: AbortSignal | undefined; readonly timer?: Timer | undefined },
): Promise<Postmaster | undefined> {
  try {
    const waiting = { ...options, everyMs: LOOK_EVERY_MS }
    return (await askUntilStarted(() => readState(cluster, own), waiting)).postmaster
  } catch (error) {
    await own?.end()
    const left = await findPostmaster(cluster.data)
    if (left !== undefined) await endProcess(left.process, 'SIGINT', STOP_GRACE_MS)
    if (!(error instanceof StartLimitError)) throw error
    throw notStarted(error.message, { cluster, log: await readFile(cluster.log, 'utf8') })
  }
}

/** Returns `undefined` while the state is not final. */
async function readState(
  cluster: ClusterFolder,
  own: Pick<StartedServer, 'isAlive' | 'end'> | undefined,
): Promise<{ readonly postmaster: Postmaster | undefined } | undefined> {
  // This is read first, so that a server that becomes visible and then ends between the two reads is not missed.
  const mayAppear = own?.isAlive() === true
  const postmaster = await findPostmaster(cluster.data)
  const isDecided = postmaster === undefined ? !mayAppear : postmaster.isReady
  return isDecided ? { postmaster } : undefined
}

function notStarted(
  reason: string,
  {
    cluster,
    log,
    advice = USE_ANOTHER_DATABASE,
  }: Pick<SpawnPostmasterOptions, 'cluster' | 'advice'> & {
    readonly log: string
  },
): NotStartedError {
  return new NotStartedError({
    part: 'PostgreSQL',
    reason,
    lines: log.trim() === '' ? [] : log.trim().split('\n'),
    logFile: cluster.log,
    advice,
  })
}

async function spawnOn(port: number, options: SpawnPostmasterOptions): Promise<StartedServer> {
  const { programs, cluster, user } = options
  const log = await open(cluster.log, 'w', 0o600)
  try {
    const child = spawn(join(programs, 'bin', 'postgres'), listArguments(cluster, port), {
      cwd: cluster.path,
      env: POSTGRES_ENVIRONMENT,
      stdio: ['ignore', log.fd, log.fd],
      // Ctrl-C in a terminal must not end the server before the processes that use it.
      detached: true,
      ...user,
    })
    const exited = new Promise<ChildExit>(resolve => {
      child.once('exit', (code, signal) => {
        const end = (lastLines: string): void => resolve({ code, signal, lastLines, logFile: cluster.log })
        void readFile(cluster.log, 'utf8').then(
          text => end(text.trim()),
          () => end(''),
        )
      })
    })
    await once(child, 'spawn')
    child.unref()
    return {
      exited,
      isAlive: () => child.exitCode === null && child.signalCode === null,
      async end() {
        const found = child.pid === undefined ? undefined : await readProcess(child.pid)
        if (found !== undefined) await endProcess(found, 'SIGINT', STOP_GRACE_MS)
      },
    }
  } finally {
    await log.close()
  }
}

function listArguments(cluster: ClusterFolder, port: number): string[] {
  // The folder comes first and in this form, because findPostmaster recognises the server by it.
  return [
    '-D',
    cluster.data,
    '--listen_addresses=127.0.0.1',
    `--port=${port}`,
    // A socket in a folder that every user can enter would be an additional way in.
    '--unix_socket_directories=',
    '--log_checkpoints=off',
  ]
}
