import { parseArgs } from 'node:util'
import { runAttacks } from './run-attacks.ts'
import { ATTACKS } from './table.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    small: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
})
const chosen = ATTACKS.filter(({ id, title }) => `${id} ${title}`.includes(values.only))

process.exitCode = values.list ? list() : await main()

function list(): number {
  for (const { id, title, rule } of chosen) process.stdout.write(`${id} ${title}\n    ${rule}\n`)
  return 0
}

/** Runs the attacks whose id or title contains `--only`; 0 where all of them fail. */
async function main(): Promise<number> {
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  const { scores, findings } = await runAttacks(chosen, {
    size: values.small ? 'small' : 'full',
    seed: Number(values.seed),
    signal: stop.signal,
    progress: ({ doing, done, of }) => process.stderr.write(`${done + 1} of ${of}  ${doing}\n`),
  })
  for (const { test, reached, target, isMet } of scores)
    process.stdout.write(`${isMet ? '✓' : '✗'} ${test}\n    ${reached}, asked: ${target}\n`)
  for (const finding of findings) process.stdout.write(`✗ ${finding}\n`)
  return findings.length === 0 && scores.length > 0 ? 0 : 1
}
