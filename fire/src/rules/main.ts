import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ruleCases, type Played } from '@farebox/conformance/facilitator'
import { playSubjects } from './play-subjects.ts'
import { breaches, matrixPage, scoreTable, type Column } from './report.ts'
import { startSubjects } from './start-subjects.ts'

const USAGE = `Plays the facilitator rules against facilitators started for it. One that runs is put to them by
npx @farebox/conformance facilitator <url>.

  --reference            start ours and the x402 project's on a chain of their own, and compare
  --ours                 start ours alone
  --only <text>          cases whose id begins with it
  --write <file>         write the page of the documentation
`

const { values } = parseArgs({
  options: {
    reference: { type: 'boolean' },
    ours: { type: 'boolean' },
    only: { type: 'string', default: '' },
    write: { type: 'string' },
    help: { type: 'boolean' },
  },
})

process.exitCode = await main()

/** 0 where the first facilitator keeps every rule, 1 where it breaks one, 2 where nothing could be played. */
async function main(): Promise<number> {
  if (values.help === true || !(values.reference === true || values.ours === true)) {
    process.stdout.write(USAGE)
    return values.help === true ? 0 : 2
  }
  const subjects = await startSubjects({ reference: values.reference === true })
  try {
    const cases = ruleCases.filter(({ id }) => id.startsWith(values.only))
    let done = 0
    const columns = await playSubjects(subjects, cases, (name, one) =>
      report(name, (done += 1), cases.length * subjects.trials.length, one),
    )
    process.stderr.write('\r\u001B[K')
    process.stdout.write(`${scoreTable(columns)}\n`)
    for (const column of columns) tellBreaches(column)
    if (values.write !== undefined)
      writeFileSync(values.write, matrixPage(columns, new Date().toISOString().slice(0, 10)))
    return columns[0] !== undefined && breaches(columns[0]).length === 0 ? 0 : 1
  } finally {
    await subjects.stop()
  }
}

/** Progress stays on one line where somebody watches. */
function report(name: string, done: number, all: number, { ruleCase, tookMs }: Played): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${name}: ${done} of ${all}  ${ruleCase.id}`)
  if (tookMs > 5_000) process.stderr.write(`  ${ruleCase.id} took ${Math.round(tookMs / 1_000)} s\n`)
}

function tellBreaches(column: Column): void {
  const broken = breaches(column)
  if (broken.length === 0) return
  process.stdout.write(`\n${column.name} broke ${broken.length}:\n`)
  for (const line of broken) process.stdout.write(`  ✗ ${line}\n`)
}
