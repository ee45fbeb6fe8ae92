// docs/promises.md: each promise, the deliberate breaches of it, and the tests that detected them.

import { describeMeasured } from './age.mjs'
import { cell } from './cell.mjs'

const HEAD = `# Promises, and what notices when they are broken

<!-- Drawn by \`npm run check -- --fix\` from docs/evidence.json; do not edit. -->

Each line is a deliberate breach in a copy of our own sources, and the first test of the ordinary suites that turned
red on an expectation. The same tests are green on the unbroken copy. P1 to P6 are the promises of the design, I1 to
I8 the invariants of its money, F1 to F4 what holds for runs of flows. A breach is listed with every promise it breaks.

    npm run fire -- breaches --write
`

/** The page of the record `promises`: a section for each promise, a row for each breach of it. */
export function formatPromises(root, records) {
  return records
    .filter(({ name }) => name === 'promises')
    .map(record => {
      const sections = Object.entries(record.sections).map(([name, says]) => {
        const rows = record.lines.filter(line => line.in.includes(name)).map(formatRow)
        const table = ['| breach | what is broken | the test that turns red |', '|---|---|---|', ...rows]
        return [`## ${name}. ${says}`, '', ...table, ''].join('\n')
      })
      return [HEAD, `${describeMeasured(root, record)}.\n`, ...sections].join('\n')
    })
    .join('')
}

function formatRow({ test, does, reached, ok }) {
  return `| \`${test}\` | ${cell(does)} | ${ok ? '' : '✗ '}${cell(reached)} |`
}
