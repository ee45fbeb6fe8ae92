import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'
import type { Bench, Row } from './report/bench.ts'
import { blocks } from './benches/blocks.ts'
import { coldStart } from './benches/cold-start.ts'
import { devExecute } from './benches/dev-execute.ts'
import { devRestart } from './benches/dev-restart.ts'
import { flows } from './benches/flows.ts'
import { oneJob } from './benches/one-job.ts'
import { paidExecute } from './benches/paid-execute.ts'
import { paidLoop } from './benches/paid-loop.ts'
import { realFlows } from './benches/real-flows.ts'
import { settlementGas } from './benches/settlement-gas.ts'
import { settlementSoak } from './benches/settlement-soak.ts'
import { soak } from './benches/soak.ts'
import { unpaidExecute } from './benches/unpaid-execute.ts'
import { verifyPayment } from './benches/verify-payment.ts'
import { drawChart } from './report/chart.ts'
import { readOptions, type Options } from './options.ts'
import { buildOlder, type OlderBuild } from './older/build-older.ts'
import { requireCpuTimes } from './rounds/cpu-time.ts'
import { tellProfiles } from './profile.ts'
import { setStage, type Stage } from './stage/stage.ts'
import { formatTable } from './report/table.ts'

const BENCHES: readonly Bench[] = [
  verifyPayment,
  paidExecute,
  paidLoop,
  oneJob,
  unpaidExecute,
  devExecute,
  coldStart,
  devRestart,
  settlementGas,
  blocks,
  flows,
  realFlows,
  soak,
  settlementSoak,
]

const LONG = BENCHES.filter(({ isLong }) => isLong).map(({ name }) => name)

/** Those that can measure an older build. */
const COMPARED = BENCHES.filter(({ against }) => against !== undefined).map(({ name }) => name)

const HELP = `npm run bench -- [options]

  --only <names>   ${BENCHES.map(({ name }) => name).join(', ')}; several with commas
                   (${LONG.join(', ')} only when named)
  --also <names>   those too, beside all that run by themselves
  --against <commit>  builds that commit too, and measures both in turns: ${COMPARED.join(', ')}
  --quick          small rounds and few: to see that everything runs, not to quote
  --json <file>    writes the figures there too
  --chart <file>   draws them there, as an SVG
  --keys <list>    relayer keys of the facilitator: 1,2,4 for blocks, 4 for settlement-soak
  --payments <n>   of settlement-soak, default 60,000
  --profile        tells where the servers' CPU time went; its figures are not to be quoted
`

try {
  process.exitCode = await main(
    readOptions(process.argv.slice(2), { all: BENCHES.map(({ name }) => name), compared: COMPARED }),
  )
} catch (error) {
  if (!(error instanceof TypeError)) throw error
  process.stderr.write(`\n✗ ${error.message}\n`)
  process.exitCode = 2
}

/** Exit code 0 when everything was measured, whether the goals are reached or not; 1 when something broke. */
async function main(options: Options): Promise<number> {
  if (options.help) {
    process.stdout.write(HELP)
    return 0
  }
  requireCpuTimes()
  process.stdout.write(`${describeMachine()}${options.quick ? '; a quick run, not to be quoted' : ''}\n`)
  const stage = await setStage({ tell, ...options })
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
      process.stdout.write(formatStep(`built ${older.name}`, startedMs))
    }
    const { rows, broken } = await runAll(stage, options, older)
    const machine = describeMachine()
    if (rows.length > 0) process.stdout.write(`\n${formatTable(rows)}\n\n${machine}\n`)
    const figures = { machine, quick: options.quick, rows }
    if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(figures, null, 2)}\n`)
    if (options.chart !== undefined) writeFileSync(options.chart, drawChart(rows, machine))
    return broken ? 1 : 0
  } finally {
    await close()
  }
}

/** What breaks is told and left out; the others are measured all the same. */
async function runAll(
  stage: Stage,
  { only, also }: Options,
  older: OlderBuild | undefined,
): Promise<{ readonly rows: readonly Row[]; readonly broken: boolean }> {
  const rows: Row[] = []
  let broken = false
  const isChosen = ({ name, isLong = false, against }: Bench): boolean =>
    older !== undefined && only.length === 0
      ? against !== undefined
      : only.length === 0
        ? !isLong || also.includes(name)
        : only.includes(name)
  for (const bench of BENCHES.filter(isChosen)) {
    const started = performance.now()
    let outcome = '✓'
    tell(bench.name)
    try {
      const run = older === undefined ? bench.run(stage) : bench.against?.(stage, older)
      rows.push(...((await run) ?? []))
    } catch (error) {
      outcome = '✗'
      broken = true
      process.stderr.write(`\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    } finally {
      await stage.strike()
    }
    tell('')
    process.stdout.write(formatStep(bench.name, started, outcome))
    if (stage.profiles !== undefined) process.stdout.write(tellProfiles(stage.profiles))
  }
  return { rows, broken }
}

function formatStep(name: string, startedMs: number, mark = '✓'): string {
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1)
  return `  ${mark} ${name.padEnd(16)}${seconds.padStart(6)} s\n`
}

/** What is being done now, where a person watches. */
function tell(doing: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[2K${doing === '' ? '' : `  · ${doing}`}`)
}

function describeMachine(): string {
  const [cpu] = cpus()
  const load = loadavg()
    .map(one => one.toFixed(1))
    .join(' ')
  return `${cpu?.model ?? 'unknown CPU'}, ${availableParallelism()} cores, Node ${process.versions.node}, load ${load}`
}
