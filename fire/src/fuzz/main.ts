import { parseArgs } from 'node:util'
import { measureCoverage } from './run/coverage.ts'
import { fuzzOnCores, type FuzzOutcome } from './run/fuzz-on-cores.ts'
import { quantileMs, type TallyCounts } from './run/tally.ts'

/** The fuzz in process alone, with every number; `npm run fire -- --only fuzz` is all of it. */
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
const outcome = await fuzzOnCores({
  seed: Number(values.seed),
  answers: Number(values.requests),
  workers: Number(values.workers),
  epoch: values.epoch === undefined ? undefined : Number(values.epoch),
  signal: new AbortController().signal,
  onNews: printProgress,
  onFinding: finding => void process.stdout.write(`\n${finding}\n`),
})
printScore(outcome)
process.exitCode = outcome.findings.length === 0 ? 0 : 1

function printProgress({ answers }: TallyCounts): void {
  const seconds = (performance.now() - startedMs) / 1_000
  const line = `${answers.toLocaleString('en')} answered, ${Math.round(answers / seconds).toLocaleString('en')}/s`
  process.stdout.write(process.stdout.isTTY ? `\r\u001b[K${line}` : `${line}\n`)
}

function printScore({ tally, findings, tookSeconds, heapBytes }: FuzzOutcome): void {
  const rows = Object.entries(tally.statuses).sort(([a], [b]) => (a < b ? -1 : 1))
  const { kinds, branches, missed, unknown } = measureCoverage(tally, 1)
  const lines = [
    '',
    ...rows.map(([name, count]) => `${name.padEnd(12)} ${count.toLocaleString('en').padStart(10)}`),
    '',
    `seed       ${values.seed}`,
    `answers    ${tally.answers.toLocaleString('en')} to ${tally.recipes.toLocaleString('en')} recipes in ${tookSeconds.toFixed(1)} s, ${Math.round(tally.answers / tookSeconds).toLocaleString('en')}/s`,
    `latency    p50 < ${quantileMs(tally, 0.5)} ms, p99 < ${quantileMs(tally, 0.99)} ms, p99.9 < ${quantileMs(tally, 0.999)} ms`,
    `heap       ${heapBytes.map(({ first, last }) => `${megabytes(first)} after the first epoch, ${megabytes(last)} at the end`).join('; ')}`,
    `coverage   ${kinds + branches - missed.length} of ${kinds} kinds of answer and ${branches} branches`,
    ...missed.map(name => `  never    ${name}`),
    ...unknown.map(name => `  unknown  ${name}`),
    `findings   ${findings.length}`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MB`
}
