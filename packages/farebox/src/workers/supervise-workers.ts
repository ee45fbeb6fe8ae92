import cluster from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { sleep, systemClock } from '@farebox/protocol/time/clock'
import type { CommandWorld } from '../invocation/command-world.ts'
import type { Listening } from '../serving/listening.ts'
import { outliveReaders } from '../serving/outlive-readers.ts'
import { stopRequested } from '../serving/stop-requested.ts'
import { ExplainedError } from '../explained-error.ts'
import { createLog, type Log } from '../log.ts'
import { COLOURED, PLAIN } from '../paint.ts'
import { createWorkerPool, type WorkerPool, type PooledWorker, type WorkerEnd } from './worker-pool.ts'
import { createRestartPace, type RestartPace } from './restart-pace.ts'

const WORKER = fileURLToPath(import.meta.resolve('#built/workers/worker'))

/**
 * Serves in several processes on one port, and supervises them; this process serves no requests itself. The first
 * worker starts alone, so that an error of the start is reported once. A worker that ends later is replaced.
 *
 * Resolves to the exit code: 0 when all have stopped gracefully (D32), 1 when they cannot start or repeatedly end.
 *
 * @param args the arguments after `farebox start`; each worker gets them unchanged
 * @param tell called once, when the requested number of workers listen
 */
export async function superviseWorkers(
  args: readonly string[],
  count: number,
  world: CommandWorld,
  tell: (listening: Listening) => void,
): Promise<number> {
  if (!cluster.isPrimary)
    throw new ExplainedError(
      'this process is a worker already, and cannot have workers of its own',
      'leave out --workers: the process that started this one manages its workers',
    )
  // The supervisor distributes connections in turn. With a shared socket most of them would go to one worker.
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ exec: WORKER, args: [...args], cwd: world.folder })
  const pool = createWorkerPool(systemClock)
  const stop = stopRequested(() => {
    pool.kill()
    process.exit(1)
  })
  void stop.then(() => pool.stop())
  outliveReaders()
  const first = pool.add()
  const listening = await first.listening
  if (listening === undefined) return explainFirstEnd(await first.ended, pool, world)
  const log = createLog({
    format: listening.logFormat,
    write: lines => world.out.write(lines),
    nowMs: systemClock.nowMs,
  })
  const closeMetrics = await openMetrics(listening, pool, log)
  const members = [first, ...Array.from({ length: count - 1 }, () => pool.add())]
  pool.whenListening(count, () => tell(listening))
  const pace = createRestartPace()
  const places = await Promise.all(members.map(member => keepFilled(member, { pool, pace, log, world })))
  await closeMetrics()
  log.flush()
  return places.every(endedWell => endedWell) ? 0 : 1
}

/** Serves the metrics of all workers, if they are on. When it cannot listen, it stops the pool and rejects. */
async function openMetrics({ metrics }: Listening, pool: WorkerPool, log: Log): Promise<() => Promise<void>> {
  if (metrics === undefined) return () => Promise.resolve()
  try {
    const { aggregateMetrics } = await import('./aggregate-metrics.ts')
    const { serveMetrics } = await import('../scrape/serve-metrics.ts')
    const isReady = (): boolean => pool.workers().length > 0 && !pool.stopping.aborted
    const server = await serveMetrics(aggregateMetrics(pool.workers), metrics, isReady)
    log.note('metrics are served', { url: server.url ?? '' })
    return server.close
  } catch (error) {
    pool.stop()
    throw error
  }
}

function explainFirstEnd(end: WorkerEnd, pool: WorkerPool, { err }: CommandWorld): 0 | 1 {
  if (pool.stopping.aborted) return 0
  if (!end.hasExplained)
    err.write(
      `${crossFor(err)} cannot start: the first worker ended (${howItEnded(end)}) before it listened\n`,
    )
  return 1
}

/** Replaces a worker whenever it ends. Resolves when the place is given up, to whether that was a graceful stop. */
async function keepFilled(
  first: PooledWorker,
  parts: {
    readonly pool: WorkerPool
    readonly pace: RestartPace
    readonly log: Log
    readonly world: CommandWorld
  },
): Promise<boolean> {
  const { pool, pace, log, world } = parts
  const { err } = world
  for (let member = first; ; member = pool.add()) {
    const end = await member.ended
    if (pool.stopping.aborted) return end.code === 0
    const pauseMs = pace.next(end.livedMs)
    if (pauseMs === undefined) {
      const how = howItEnded(end)
      err.write(`${crossFor(err)} stopping: workers end as soon as they start, the last one with ${how}\n`)
      pool.stop()
      return false
    }
    log.warn('a worker ended; starting a replacement', { pid: member.pid ?? 0, ended: howItEnded(end) })
    await sleep(systemClock, pauseMs, pool.stopping)
    if (pool.stopping.aborted) return true
  }
}

function howItEnded({ code, signal }: WorkerEnd): string {
  return signal ?? (code === null ? 'no process' : `exit code ${code}`)
}

function crossFor({ live }: CommandWorld['err']): string {
  return (live ? COLOURED : PLAIN).red('✗')
}
