import cluster, { type Worker } from 'node:cluster'
import type { Clock } from '@farebox/protocol/time/clock'
import type { Listening } from '../serving/listening.ts'
import { readReport, STOP } from './worker-messages.ts'

/** A worker, from its fork to its end. */
export interface PooledWorker {
  readonly pid: number | undefined
  /** Resolves when the worker listens; to undefined when it ends before. */
  readonly listening: Promise<Listening | undefined>
  readonly ended: Promise<WorkerEnd>
}

/** The facts about the end of a worker. */
export interface WorkerEnd {
  readonly code: number | null
  readonly signal: string | null
  readonly livedMs: number
  /** The worker could not start, and has printed the reason. */
  readonly hasExplained: boolean
}

/** The running workers of one command. */
export interface WorkerPool {
  /** Forks another worker, with the settings of the cluster. */
  add(): PooledWorker
  /** Calls back once, as soon as this many workers listen. */
  whenListening(count: number, callback: () => void): void
  /** The running workers. */
  workers(): readonly Worker[]
  /** Aborts when `stop` is called. */
  readonly stopping: AbortSignal
  /** Asks each worker to finish its jobs and end; a worker that is added later is asked at once. */
  stop(): void
  /** Kills all workers. */
  kill(): void
}

/** Makes an empty pool. */
export function createWorkerPool(clock: Clock): WorkerPool {
  const living = new Set<Worker>()
  const listening = new Set<Worker>()
  const stopping = new AbortController()
  let look: () => void = () => undefined
  const tellToStop = (worker: Worker): void => {
    if (worker.isConnected()) worker.send(STOP, () => undefined)
  }
  return {
    workers: () => [...living],
    stopping: stopping.signal,
    add() {
      const worker = cluster.fork()
      living.add(worker)
      const member = watch(worker, clock)
      void member.listening.then(address => {
        if (address !== undefined) listening.add(worker)
        look()
      })
      void member.ended.then(() => {
        living.delete(worker)
        listening.delete(worker)
      })
      if (stopping.signal.aborted) tellToStop(worker)
      return member
    },
    whenListening(count, callback) {
      look = () => {
        if (listening.size < count) return
        look = () => undefined
        callback()
      }
      look()
    },
    stop() {
      stopping.abort()
      for (const worker of living) tellToStop(worker)
    },
    kill() {
      for (const worker of living) worker.process.kill('SIGKILL')
    },
  }
}

function watch(worker: Worker, clock: Clock): PooledWorker {
  const startedMs = clock.nowMs()
  let hasExplained = false
  let listens: (listening: Listening | undefined) => void = () => undefined
  const listening = new Promise<Listening | undefined>(resolve => {
    listens = resolve
  })
  worker.on('message', message => {
    const report = readReport(message)
    if (report?.kind === 'refused') hasExplained = true
    if (report?.kind === 'listening') listens(report.listening)
  })
  const ended = new Promise<WorkerEnd>(resolve => {
    const end = (code: number | null, signal: string | null): void => {
      listens(undefined)
      resolve({ code, signal, livedMs: clock.nowMs() - startedMs, hasExplained })
    }
    // Not the `exit` event, before which not all messages of the worker may have been read.
    worker.process.on('close', end)
    // A process that could not be created has no `close` event.
    worker.on('error', () => void (worker.process.pid === undefined && end(null, null)))
  })
  return { pid: worker.process.pid, listening, ended }
}
