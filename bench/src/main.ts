import { availableParallelism, cpus, loadavg } from 'node:os'
import { readCommit } from '../../scripts/evidence/record.mjs'
import { blocks } from './benches/blocks.ts'
import { flows } from './benches/flows.ts'
import { monitor } from './benches/monitor.ts'
import { oneJob } from './benches/one-job.ts'
import { paidExecute } from './benches/paid-execute.ts'
import { paidLoop } from './benches/paid-loop.ts'
import { search } from './benches/search.ts'
import { verifyPayment } from './benches/verify-payment.ts'
import { web } from './benches/web.ts'
import { buildOlder, type OlderBuild } from './older/build-older.ts'
import { readOptions, type Options } from './options.ts'
import type { Bench } from './report/bench.ts'
import { recordBenches, type Measured } from './report/record-benches.ts'
import { formatTable } from './report/table.ts'
import { requireCpuTimes } from './rounds/cpu-time.ts'
import { CURRENT } from './stage/build.ts'
import { setStage, type Stage } from './stage/stage.ts'

const BENCHES: readonly Bench[] = [
  verifyPayment,
  paidExecute,
  paidLoop,
  oneJob,
  blocks,
  flows,
  search,
  monitor,
  web,
]

const ALL = BENCHES.map(({ name }) => name)
const LONG = BENCHES.filter(({ isLong }) => isLong).map(({ name }) => name)
/** Benches that can measure an older build. */
const COMPARED = BENCHES.filter(({ against }) => against !== undefined).map(({ name }) => name)

const HELP = `npm run bench -- [options]

  --only <names>      ${ALL.join(', ')}; several with commas
                      (${LONG.join(', ')} only when named)
  --against <commit>  builds that commit too, and measures both in turns: ${COMPARED.join(', ')}
  --quick             small rounds and few: to see that everything runs, not to quote
  --write             records each bench in docs/evidence.json, and draws docs/speed.svg
`

try {
  process.exitCode = await main(readOptions(process.argv.slice(2), { all: ALL, compared: COMPARED }))
} catch (error) {
  if (!(error instanceof TypeError)) throw error
  process.stderr.write(`\n✗ ${error.message}\n`)
  process.exitCode = 2
}

/** Exit code 0 when everything was measured, whether the goals are met or not; 1 when a bench failed. */
async function main(options: Options): Promise<number> {
  if (options.help) {
    process.stdout.write(HELP)
    return 0
  }
  requireCpuTimes()
  // Read before the run: the figures are of this commit.
  const commit = options.write ? readCommit(CURRENT.root) : undefined
  if (options.write && commit === undefined)
    throw new TypeError('--write: commit your changes first, so that a record can name what was measured')
  const begun = `${describeMachine()}, load ${describeLoad()}`
  process.stdout.write(`${begun}${options.quick ? '; a quick run: do not quote its figures' : ''}\n`)
  const stage = await setStage({ tell, quick: options.quick })
  let older: OlderBuild | undefined
  const close = async (): Promise<void> => {
    await older?.remove()
    await stage.close()
  }
  process.once('SIGINT', () => {
    void close().finally(() => process.exit(130))
  })
  try {
    if (options.against !== undefined) {
      const startedMs = performance.now()
      older = await buildOlder(stage.folder, options.against, tell)
      tell('')
      process.stdout.write(formatStep(`built ${older.name}`, secondsSince(startedMs)))
    }
    const { measured, broken } = await runAll(stage, options, older)
    report(measured)
    if (commit !== undefined) recordBenches(measured, { machine: describeMachine(), commit })
    return broken ? 1 : 0
  } finally {
    await close()
  }
}

/** A bench that fails is printed and left out; the others still run. */
async function runAll(
  stage: Stage,
  { only, against }: Options,
  older: OlderBuild | undefined,
): Promise<{ readonly measured: readonly Measured[]; readonly broken: boolean }> {
  const measured: Measured[] = []
  let broken = false
  const usual = against === undefined ? ALL.filter(name => !LONG.includes(name)) : COMPARED
  const chosen = only.length === 0 ? usual : only
  for (const { name, ...bench } of BENCHES.filter(({ name }) => chosen.includes(name))) {
    const startedMs = performance.now()
    let mark = '✓'
    tell(name)
    try {
      const rows = await (older === undefined ? bench.run(stage) : bench.against?.(stage, older))
      measured.push({ name, rows: rows ?? [], seconds: secondsSince(startedMs) })
    } catch (error) {
      mark = '✗'
      broken = true
      process.stderr.write(`\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    } finally {
      await stage.strike()
    }
    tell('')
    process.stdout.write(formatStep(name, secondsSince(startedMs), mark))
  }
  return { measured, broken }
}

function report(measured: readonly Measured[]): void {
  const rows = measured.flatMap(bench => bench.rows)
  if (rows.length > 0)
    process.stdout.write(`\n${formatTable(rows)}\n\n${describeMachine()}, load ${describeLoad()}\n`)
}

function secondsSince(startedMs: number): number {
  return (performance.now() - startedMs) / 1_000
}

function formatStep(name: string, seconds: number, mark = '✓'): string {
  return `  ${mark} ${name.padEnd(16)}${seconds.toFixed(1).padStart(6)} s\n`
}

/** The current activity, on a terminal. */
function tell(doing: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[2K${doing === '' ? '' : `  · ${doing}`}`)
}

function describeMachine(): string {
  const [cpu] = cpus()
  return `${cpu?.model.trim() ?? 'unknown CPU'}, ${availableParallelism()} cores, Node ${process.versions.node}`
}

function describeLoad(): string {
  return loadavg()
    .map(one => one.toFixed(1))
    .join(' ')
}
