import { fork, type ChildProcess } from 'node:child_process'
import type { WorkerOrder, WorkerReport } from './fuzz-worker.ts'

interface FuzzOptions extends Omit<WorkerOrder, 'worker'> {
  readonly signal: AbortSignal
  /** Called with the answers so far. */
  readonly onAnswers?: (answers: number) => void
}

/**
 * Fuzzes in several processes at once, each with rounds of its own: one that dies is a finding and does not end the
 * others, and the native curve is not made for threads. At least `answers` come, over all workers; the last round of
 * each is ended.
 */
export async function fuzzOnCores({ signal, onAnswers, ...orders }: FuzzOptions) {
  const { workers } = orders
  const answers = Math.ceil(orders.answers / workers)
  const latest: WorkerReport[] = Array.from({ length: workers }, () => NOTHING)
  const died: string[] = []
  const run = async (worker: number): Promise<void> => {
    const order: WorkerOrder = { ...orders, worker, answers }
    const child = fork(new URL('./fuzz-worker.ts', import.meta.url), [JSON.stringify(order)], {
      execArgv: ['--conditions=@farebox/source', '--import', import.meta.resolve('tsx')],
    })
    const kill = (): void => void child.kill('SIGKILL')
    signal.addEventListener('abort', kill)
    child.on('message', message => {
      // Only our own worker sends.
      latest[worker] = message as WorkerReport
      onAnswers?.(sum(countKinds(latest)))
    })
    const end = await ended(child)
    signal.removeEventListener('abort', kill)
    if (end !== 'code 0' || latest[worker]?.isDone !== true) died.push(`✗ a worker died: ${end}`)
  }
  await Promise.all(latest.map((_, worker) => run(worker)))
  signal.throwIfAborted()
  const kinds = countKinds(latest)
  return {
    answers: sum(kinds),
    /** How often each kind of answer came up. */
    kinds,
    /** What was found, each as a person reads it; a worker that died is one. */
    findings: [...latest.flatMap(({ findings }) => findings), ...died],
  }
}

const NOTHING: WorkerReport = { kinds: {}, findings: [], isDone: false }

function countKinds(reports: readonly WorkerReport[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { kinds } of reports)
    for (const [kind, count] of Object.entries(kinds)) counts.set(kind, (counts.get(kind) ?? 0) + count)
  return counts
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0)
}

function ended(child: ChildProcess): Promise<string> {
  return new Promise(resolve => {
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))
    child.once('error', error => resolve(error.message))
  })
}
