import { fork, type ChildProcess } from 'node:child_process'
import type { WorkerNews, WorkerOrder } from './fuzz-worker.ts'
import { addTallies, type TallyCounts } from './tally.ts'

export interface FuzzOptions extends Pick<WorkerOrder, 'seed' | 'replay'> {
  /** At least so many answers, over all workers; the last round of each is ended. */
  readonly answers: number
  readonly workers: number
  readonly signal: AbortSignal
  /** Called with the answers so far. */
  readonly onAnswers?: (answers: number) => void
}

export interface FuzzOutcome {
  readonly tally: TallyCounts
  /** What was found, each as a person reads it; a worker that died is one. */
  readonly findings: readonly string[]
}

/**
 * Fuzzes in several processes at once, each with rounds of its own: one that dies is a finding and does not end the
 * others, and the native curve is not made for threads.
 */
export async function fuzzOnCores(options: FuzzOptions): Promise<FuzzOutcome> {
  const { seed, replay, signal, onAnswers } = options
  const workers = replay === undefined ? options.workers : 1
  const answers = Math.ceil(options.answers / workers)
  const latest: TallyCounts[] = Array.from({ length: workers }, () => ({ answers: 0, seen: {} }))
  const findings: string[] = []
  const run = async (order: WorkerOrder): Promise<void> => {
    const worker = fork(new URL('./fuzz-worker.ts', import.meta.url), [JSON.stringify(order)], {
      execArgv: ['--conditions=@farebox/source', '--import', import.meta.resolve('tsx')],
    })
    const kill = (): void => void worker.kill('SIGKILL')
    signal.addEventListener('abort', kill)
    let isDone = false
    worker.on('message', message => {
      // Only our own worker sends.
      const news = message as WorkerNews
      latest[order.worker] = news.tally
      findings.push(...news.findings)
      isDone = news.isDone
      onAnswers?.(addTallies(latest).answers)
    })
    const end = await ended(worker)
    signal.removeEventListener('abort', kill)
    if (end !== 'code 0' || !isDone) findings.push(`✗ a worker died: ${end}`)
  }
  await Promise.all(latest.map((_, worker) => run({ seed, replay, worker, workers, answers })))
  signal.throwIfAborted()
  return { tally: addTallies(latest), findings }
}

function ended(worker: ChildProcess): Promise<string> {
  return new Promise(resolve => {
    worker.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))
    worker.once('error', error => resolve(error.message))
  })
}
