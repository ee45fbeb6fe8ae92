import { mkdir } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BATTERIES } from './batteries.ts'
import { formatScorecard, formatSpan, isPassed, type BatteryOutcome } from './command/format-scorecard.ts'
import { describeOptions, readOptions, type Options } from './command/options.ts'
import { runApart } from './command/run-apart.ts'
import { startProgress } from './command/show-progress.ts'
import { drawPages } from '../../scripts/evidence/draw.mjs'
import { readCommit, writeRecord } from '../../scripts/evidence/record.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const LOGS = join('.farebox', 'fire')

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
    process.stdout.write(describeOptions(Object.keys(BATTERIES), battery))
    return 0
  }
  // Read before the run: what a run draws is itself a change.
  const commit = write ? readCommit(ROOT) : undefined
  if (write && commit === undefined) process.stdout.write('  not recorded: there are uncommitted changes\n')
  await mkdir(join(ROOT, LOGS), { recursive: true })
  const outcomes: BatteryOutcome[] = []
  for (const name of names) {
    const outcome = await runOne(name, options)
    if (isStopped) return 130
    if (outcome !== undefined) outcomes.push(outcome)
  }
  if (outcomes.length > 0) process.stdout.write(`\n${formatScorecard(outcomes)}`)
  if (commit !== undefined) await keep(outcomes, commit, options)
  return outcomes.length === names.length && outcomes.every(isPassed) ? 0 : 1
}

/** Undefined where the battery itself failed: that is reported, and the others run all the same. */
async function runOne(name: string, { size, seed, flags }: Options): Promise<BatteryOutcome | undefined> {
  const startedMs = performance.now()
  const line = startProgress(name)
  const log = join(LOGS, `${name}.log`)
  const report = (mark: string, text: string): void => {
    line.stop()
    const took = formatSpan((performance.now() - startedMs) / 1_000)
    process.stdout.write(`  ${mark} ${name.padEnd(12)}${took.padStart(10)}  ${text}\n`)
  }
  try {
    const { does = '' } = (await BATTERIES[name]?.load()) ?? {}
    const isShown = Object.keys(flags).length > 0
    const show = (text: string): void => void (isShown && process.stdout.write(text))
    const result = await runApart({ name, size, seed, flags }, join(ROOT, log), line.show, show)
    const seconds = Math.round((performance.now() - startedMs) / 1_000)
    report(isPassed(result) ? '✓' : '✗', isPassed(result) ? does : `see below, and ${log}`)
    return { name, seconds, ...result }
  } catch (error) {
    report('✗', isStopped ? 'stopped' : `failed: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}

/** Writes the records, and draws the pages. */
async function keep(outcomes: readonly BatteryOutcome[], commit: string, options: Options): Promise<void> {
  const { size: form, seed } = options
  const chosen = `${form === 'small' ? ' --small' : ''}${seed === 1 ? '' : ` --seed ${seed}`}`
  for (const { name, seconds, scores, findings, tables = {} } of outcomes) {
    const { load, packages = [] } = BATTERIES[name] ?? {}
    const does = (await load?.())?.does
    const machine = `${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${availableParallelism()} cores, Node ${process.versions.node}`
    const command = `npm run fire -- ${name}${chosen}`
    const run = { commit, form, command, machine, seconds, seed, packages }
    writeRecord(ROOT, {
      name: `fire/${name}`,
      ...run,
      lines: scores.map(({ isMet, ...score }) => ({ ...score, ok: isMet })),
      findings: findings.length,
      ...(does !== undefined && { does }),
    })
    for (const [record, table] of Object.entries(tables))
      writeRecord(ROOT, { name: record, ...run, ...table })
  }
  drawPages(ROOT)
}
