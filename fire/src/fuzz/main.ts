import { fork } from 'node:child_process'
import { parseArgs } from 'node:util'
import { addTallies, quantileMs, type TallyCounts } from './run/tally.ts'
import type { WorkerNews, WorkerOrder } from './run/fuzz-worker.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    /** Runs this epoch alone, as a finding names it. */
    epoch: { type: 'string' },
    workers: { type: 'string', default: '2' },
  },
})

const startedMs = performance.now()
const workers = values.epoch === undefined ? Number(values.workers) : 1
const latest: WorkerNews[] = []
const reports: string[] = []
let firstHeapBytes = 0

process.exitCode = (await Promise.all(Array.from({ length: workers }, (_, index) => run(index)))).every(
  Boolean,
)
  ? 0
  : 1
printScore()

/** Runs one worker to its end; false where it found something or died. */
function run(index: number): Promise<boolean> {
  const order: WorkerOrder = {
    seed: Number(values.seed),
    firstEpoch: values.epoch === undefined ? index : Number(values.epoch),
    step: workers,
    answers: values.epoch === undefined ? Math.ceil(Number(values.requests) / workers) : 1,
  }
  const worker = fork(new URL('./run/fuzz-worker.ts', import.meta.url), [JSON.stringify(order)], {
    execArgv: ['--conditions=@farebox/source', '--import', import.meta.resolve('tsx'), '--expose-gc'],
  })
  return new Promise(resolve => {
    let isClean = true
    // What comes is what our own worker sends.
    worker.on('message', message => {
      const news = message as WorkerNews
      latest[index] = news
      if (news.reports.length > 0) isClean = false
      reports.push(...news.reports)
      for (const report of news.reports) process.stdout.write(`\n${report}\n`)
      if (firstHeapBytes === 0) firstHeapBytes = news.heapBytes
      printProgress()
    })
    worker.on('exit', (code, signal) => {
      const isDone = latest[index]?.done === true && code === 0
      if (!isDone) process.stdout.write(`\n✗ a worker died: ${signal ?? `code ${code}`}\n`)
      resolve(isClean && isDone)
    })
  })
}

function printProgress(): void {
  const { answers } = total()
  const seconds = (performance.now() - startedMs) / 1_000
  const line = `${answers.toLocaleString('en')} answered, ${Math.round(answers / seconds).toLocaleString('en')}/s, ${reports.length} findings, heap ${megabytes(latest[0]?.heapBytes ?? 0)}`
  process.stdout.write(process.stdout.isTTY ? `\r\u001b[K${line}` : `${line}\n`)
}

function printScore(): void {
  const sum = total()
  const seconds = (performance.now() - startedMs) / 1_000
  const rows = Object.entries(sum.statuses).sort(([a], [b]) => (a < b ? -1 : 1))
  const lines = [
    '',
    ...rows.map(([name, count]) => `${name.padEnd(12)} ${count.toLocaleString('en').padStart(10)}`),
    '',
    `seed       ${values.seed}`,
    `answers    ${sum.answers.toLocaleString('en')} to ${sum.recipes.toLocaleString('en')} recipes in ${seconds.toFixed(1)} s, ${Math.round(sum.answers / seconds).toLocaleString('en')}/s over ${workers} workers`,
    `latency    p50 < ${quantileMs(sum, 0.5)} ms, p99 < ${quantileMs(sum, 0.99)} ms, p99.9 < ${quantileMs(sum, 0.999)} ms`,
    `heap       ${megabytes(firstHeapBytes)} after the first epoch, ${latest.map(({ heapBytes }) => megabytes(heapBytes)).join(' and ')} at the end`,
    `findings   ${reports.length}`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

function total(): TallyCounts {
  return addTallies(latest.filter(Boolean).map(({ tally }) => tally))
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MB`
}
