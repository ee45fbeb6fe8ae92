import { mkdir } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BATTERIES } from './batteries.ts'
import { isPassed, type BatteryRecord } from './command/battery-record.ts'
import { COLOURED, formatScorecard, formatSpan, PLAIN } from './command/format-scorecard.ts'
import { readOptions, type Options } from './command/options.ts'
import { writeReliability } from './command/reliability-page.ts'
import { runApart } from './command/run-apart.ts'
import { startProgress } from './command/show-progress.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const LOGS = join('.farebox', 'fire')
const NAMES = Object.keys(BATTERIES)

const HELP = `npm run fire -- [options]

  --only <names>   ${NAMES.join(', ')}; several with commas
  --small          the small forms, as in npm test -- fire: a minute or two instead of hours
  --seed <n>       where the random choices begin (1)
  --write          draws docs/reliability.md anew with what was seen
`

let isStopped = false
process.on('SIGINT', () => {
  isStopped = true
})

try {
  process.exitCode = await main(readOptions(process.argv.slice(2), NAMES))
} catch (error) {
  if (!(error instanceof TypeError)) throw error
  process.stderr.write(`\n✗ ${error.message}\n`)
  process.exitCode = 2
}

/** Exit code 0 when every target was reached and nothing was found, 1 otherwise, 130 after Ctrl-C. */
async function main(options: Options): Promise<number> {
  if (options.help) {
    process.stdout.write(HELP)
    return 0
  }
  await mkdir(join(ROOT, LOGS), { recursive: true })
  const records: BatteryRecord[] = []
  let isBroken = false
  for (const name of NAMES.filter(name => options.only.length === 0 || options.only.includes(name))) {
    const record = await runOne(name, options)
    if (isStopped) return 130
    if (record === undefined) isBroken = true
    else records.push(record)
  }
  if (records.length > 0) process.stdout.write(`\n${formatScorecard(records, paint())}`)
  if (options.write) process.stdout.write(`\n  written to ${await writeReliability(ROOT, records, NAMES)}\n`)
  return isBroken || !records.every(isPassed) ? 1 : 0
}

/** Undefined where the battery itself failed: that is told, and the others run all the same. */
async function runOne(name: string, { size, seed }: Options): Promise<BatteryRecord | undefined> {
  const day = new Date().toISOString().slice(0, 10)
  const startedMs = performance.now()
  const line = startProgress(name, process.stdout)
  const log = join(LOGS, `${name}.log`)
  const tell = (mark: string, text = ''): void => {
    line.clear()
    const took = formatSpan((performance.now() - startedMs) / 1_000)
    process.stdout.write(`  ${mark} ${name.padEnd(12)}${took.padStart(10)}  ${text}`.trimEnd() + '\n')
  }
  try {
    const { does } = (await BATTERIES[name]?.()) ?? { does: '' }
    const result = await runApart({ name, size, seed }, join(ROOT, log), line.show)
    const tookSeconds = Math.round((performance.now() - startedMs) / 100) / 10
    tell(isPassed(result) ? '✓' : '✗', isPassed(result) ? does : `see below, and ${log}`)
    return { name, does, size, seed, day, tookSeconds, machine: describeMachine(), ...result }
  } catch (error) {
    tell('✗', isStopped ? 'stopped' : `failed: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}

function paint(): typeof PLAIN {
  return process.stdout.isTTY && process.env['NO_COLOR'] === undefined ? COLOURED : PLAIN
}

function describeMachine(): string {
  const [cpu] = cpus()
  return `${cpu?.model.trim() ?? 'unknown CPU'}, ${availableParallelism()} cores, Node ${process.versions.node}`
}
