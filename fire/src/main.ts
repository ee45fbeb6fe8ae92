import { mkdir } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BATTERIES } from './batteries.ts'
import { formatScorecard, formatVerdict, isPassed, type BatteryOutcome } from './command/format-scorecard.ts'
import { describeOptions, readOptions, type Options } from './command/options.ts'
import { runApart } from './command/run-apart.ts'
import { drawPages } from '../../scripts/evidence/draw.mjs'
import { readCommit, writeRecord } from '../../scripts/evidence/record.mjs'
import { machineClock, reportSlowStep } from '../../scripts/slow-step.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const LOGS = join(ROOT, '.farebox', 'fire')

let isStopped = false
process.on('SIGINT', () => {
  isStopped = true
})

try {
  process.exitCode = await main(await readOptions(process.argv.slice(2), BATTERIES))
} catch (error) {
  if (!(error instanceof TypeError)) throw error
  process.stderr.write(`\n✗ ${error.message}\n`)
  process.exitCode = 2
}

/** Exit code 0 when every target was reached and nothing was found, 1 otherwise, 130 after Ctrl-C. */
async function main(options: Options): Promise<number> {
  const { names, help, write } = options
  if (help) {
    const [first = ''] = names
    const battery = names.length === 1 ? await BATTERIES[first]?.load() : undefined
    say(describeOptions(Object.keys(BATTERIES), battery))
    return 0
  }
  // Read before the run, because the files that a run writes are themselves changes.
  const commit = write ? readCommit(ROOT) : undefined
  if (write && commit === undefined) say('  not recorded: there are uncommitted changes\n')
  await mkdir(LOGS, { recursive: true })
  const outcomes: BatteryOutcome[] = []
  for (const name of names) {
    const outcome = await runOne(name, options)
    if (isStopped) return 130
    say(formatScorecard(outcome))
    outcomes.push(outcome)
  }
  say(formatVerdict(outcomes))
  if (commit !== undefined) await keep(outcomes, commit, options)
  return outcomes.every(isPassed) ? 0 : 1
}

/** A battery that itself fails has no scores; the others still run. */
async function runOne(name: string, { size, seed, flags }: Options): Promise<BatteryOutcome> {
  const startedMs = performance.now()
  let doing = ''
  const stopReports = reportSlowStep(
    name,
    () => doing,
    line => say(`${line}\n`),
    machineClock,
  )
  const isShown = Object.keys(flags).length > 0
  const result = await runApart(
    { name, size, seed, flags },
    join(LOGS, `${name}.log`),
    progress => {
      doing = `${progress.doing} ${progress.done} of ${progress.of}`
    },
    text => void (isShown && say(text)),
  ).catch((error: unknown) => ({ scores: [], findings: [String(error)] }))
  stopReports()
  return { name, seconds: Math.round((performance.now() - startedMs) / 1_000), ...result }
}

/** Writes the records, and draws the pages. */
async function keep(outcomes: readonly BatteryOutcome[], commit: string, options: Options): Promise<void> {
  const { size: form, seed } = options
  const chosen = `${form === 'small' ? ' --small' : ''}${seed === 1 ? '' : ` --seed ${seed}`}`
  const machine = `${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${availableParallelism()} cores, Node ${process.versions.node}`
  for (const { name, seconds, scores, findings, tables = {} } of outcomes) {
    const { load, packages = [] } = BATTERIES[name] ?? {}
    const does = (await load?.())?.does
    if (does === undefined || scores.length === 0) continue
    const command = `npm run fire -- ${name}${chosen}`
    const run = { commit, form, command, machine, seconds, seed, packages }
    const lines = scores.map(({ isMet, ...score }) => ({ ...score, ok: isMet }))
    writeRecord(ROOT, { name: `fire/${name}`, ...run, lines, findings: findings.length, does })
    for (const [record, table] of Object.entries(tables))
      writeRecord(ROOT, { name: record, ...run, ...table })
  }
  drawPages(ROOT)
}

function say(text: string): void {
  process.stdout.write(text)
}
