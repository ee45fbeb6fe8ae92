import { parseArgs } from 'node:util'
import { BREACHES } from './breaches.ts'
import { commitBreaches } from './commit-breaches.ts'

/** Commits some breaches, by name, or all: a line each. The table is drawn by `npm run fire -- --only breaches`. */
const { values } = parseArgs({ options: { only: { type: 'string', multiple: true, default: [] } } })
const names = values.only.flatMap(list => list.split(','))
const chosen = BREACHES.filter(({ name }) => names.length === 0 || names.includes(name))
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())

const { outcomes, sound, unsound } = await commitBreaches(
  chosen,
  stopping.signal,
  ({ breach, red, reason }) =>
    process.stdout.write(
      red === undefined ? `✗ ${breach.name}: ${reason}\n` : `✓ ${breach.name}: ${red.file}: ${red.name}\n`,
    ),
)
process.stdout.write(`nothing broken: ${sound} green\n`)
for (const text of unsound) process.stdout.write(`✗ red though nothing is broken: ${text}\n`)
process.exitCode = unsound.length === 0 && outcomes.every(({ red }) => red !== undefined) ? 0 : 1
