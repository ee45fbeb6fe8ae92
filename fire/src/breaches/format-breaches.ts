import { PROMISES } from './breaches.ts'
import type { BreachOutcome } from './commit-breaches.ts'

/** The page `docs/promises.md`: for each promise its breaches, and the tests that notice. The same each time. */
export function formatBreaches(outcomes: readonly BreachOutcome[]): string {
  const sections = Object.entries(PROMISES).map(([name, promise]) => {
    const rows = outcomes.filter(({ breach }) => breach.promises.includes(name)).map(formatRow)
    return [`## ${name}. ${promise}`, '', ...TABLE, ...rows, ''].join('\n')
  })
  return [HEAD, ...sections].join('\n')
}

const HEAD = `# Promises, and what notices when they are broken

<!-- Drawn by \`npm run fire -- breaches --write\`; do not edit. -->

Each line is a deliberate breach in a copy of our own sources, and the first test of the ordinary suites that turned
red on an expectation. The same tests are green on the unbroken copy. P1 to P6 are the promises of the design, I1 to
I8 the invariants of its money, F1 to F4 what holds for runs of flows. A breach stands with every promise it breaks.

    npm run fire -- breaches --write
`
const TABLE = ['| breach | what is broken | the test that turns red |', '|---|---|---|']

function formatRow({ breach, red, reason }: BreachOutcome): string {
  const noticed = red === undefined ? `✗ ${reason}` : `${red.name} (\`${red.file}\`)`
  return `| \`${breach.name}\` | ${cell(breach.breaks)} | ${cell(noticed)} |`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')
}
