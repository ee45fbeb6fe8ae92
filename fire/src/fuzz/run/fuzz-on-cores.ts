import { fork, type ChildProcess } from 'node:child_process'
import type { WorkerNews, WorkerOrder } from './fuzz-worker.ts'
import { addTallies, type TallyCounts } from './tally.ts'

export interface FuzzOptions {
  readonly seed: number
  /** At least so many answers, over all workers; the last epoch of each is ended. */
  readonly answers: number
  readonly workers: number
  /** Runs this epoch alone, as a finding names it. */
  readonly epoch?: number | undefined
  readonly signal: AbortSignal
  readonly onNews?: (sofar: TallyCounts) => void
  readonly onFinding?: (finding: string) => void
}

export interface FuzzOutcome {
  readonly tally: TallyCounts
  /** What was found, each as a person reads it; a worker that died is one. */
  readonly findings: readonly string[]
  readonly tookSeconds: number
  /** Heap in use after the first epoch, and at the end, of each worker. */
  readonly heapBytes: readonly { readonly first: number; readonly last: number }[]
}

/**
 * Fuzzes in several processes at once, each with epochs of its own: one that dies is a finding and takes nobody
 * along, and the native curve is not made for threads.
 */
export async function fuzzOnCores(options: FuzzOptions): Promise<FuzzOutcome> {
  const { signal, onNews, onFinding } = options
  const startedMs = performance.now()
  const workers = options.epoch === undefined ? options.workers : 1
  const latest: WorkerNews[] = []
  const heaps: { first: number; last: number }[] = []
  const findings: string[] = []
  const find = (finding: string): void => {
    findings.push(finding)
    onFinding?.(finding)
  }
  const total = (): TallyCounts => addTallies(latest.filter(Boolean).map(({ tally }) => tally))
  const run = async (index: number): Promise<void> => {
    const worker = startWorker(orderOf(options, index, workers))
    const kill = (): void => void worker.kill('SIGKILL')
    signal.addEventListener('abort', kill)
    worker.on('message', message => {
      // What comes is what our own worker sends.
      const news = message as WorkerNews
      latest[index] = news
      heaps[index] = { first: heaps[index]?.first ?? news.heapBytes, last: news.heapBytes }
      news.reports.forEach(find)
      onNews?.(total())
    })
    const end = await ended(worker)
    signal.removeEventListener('abort', kill)
    if (end !== 'code 0' || latest[index]?.done !== true) find(`✗ a worker died: ${end}`)
  }
  await Promise.all(Array.from({ length: workers }, (_, index) => run(index)))
  signal.throwIfAborted()
  return {
    tally: total(),
    findings,
    tookSeconds: (performance.now() - startedMs) / 1_000,
    heapBytes: heaps,
  }
}

function orderOf({ seed, epoch, answers }: FuzzOptions, index: number, workers: number): WorkerOrder {
  return {
    seed,
    firstEpoch: epoch ?? index,
    step: workers,
    answers: epoch === undefined ? Math.ceil(answers / workers) : 1,
  }
}

function startWorker(order: WorkerOrder): ChildProcess {
  return fork(new URL('./fuzz-worker.ts', import.meta.url), [JSON.stringify(order)], {
    execArgv: ['--conditions=@farebox/source', '--import', import.meta.resolve('tsx'), '--expose-gc'],
  })
}

function ended(worker: ChildProcess): Promise<string> {
  return new Promise(resolve => {
    worker.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))
    worker.once('error', error => resolve(error.message))
  })
}
