// The page of the results of `npm run fire`.

import { describeMeasured } from './age.mjs'
import { cell } from './cell.mjs'

const HEAD = `# Reliability

<!-- Drawn by \`npm run check -- --fix\` from docs/evidence.json; do not edit. -->

What was done to break the promises of Farebox, with the real agent, the real facilitator and real processes, and
what came of it. Each battery can be run again: the seed makes the same random choices. A line that missed its
target stays on this page with a ✗. Where much code has changed since a measurement, the line says how much.

\`\`\`
npm run fire                       all of it; hours
npm run fire -- --small            the form that \`npm test -- fire\` runs; a minute or two
npm run fire -- storms             one battery
\`\`\`
`

/** The page of the results of `npm run fire`. */
export function formatReliability(root, all) {
  const records = all.filter(({ name }) => name.startsWith('fire/'))
  return `${HEAD}\n${formatVerdict(records)}.\n${records.map(record => formatRecord(root, record)).join('')}`
}

function formatVerdict(records) {
  const lines = records.flatMap(record => record.lines)
  const reached = lines.filter(line => line.ok).length
  const findings = records.reduce((sum, record) => sum + record.findings, 0)
  return `${reached} of ${lines.length} targets reached, ${findings} ${findings === 1 ? 'finding' : 'findings'}`
}

function formatRecord(root, record) {
  const { name, does, form, seed, seconds, machine, command, lines, findings } = record
  const rows = lines.map(
    line => `| ${line.ok ? '✓' : '✗'} | ${cell(line.test)} | ${cell(line.reached)} | ${cell(line.target)} |`,
  )
  return [
    '',
    `## ${name.slice('fire/'.length)}`,
    '',
    ...(does === undefined ? [] : [does, '']),
    `\`${command}\`, ${form} form, seed ${seed}, ${formatSpan(seconds)}, ${machine}.`,
    '',
    `${describeMeasured(root, record)}.`,
    '',
    '| | test | reached | target |',
    '|---|---|---|---|',
    ...rows,
    ...(findings > 0 ? ['', `✗ Findings: ${findings}.`] : []),
    '',
  ].join('\n')
}

/** `4 s`, `12 m 03 s`, `1 h 02 m`. */
export function formatSpan(seconds) {
  const whole = Math.round(seconds)
  const two = number => String(number).padStart(2, '0')
  if (whole < 60) return `${whole} s`
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)]
  return hours > 0 ? `${hours} h ${two(minutes)} m` : `${minutes} m ${two(whole % 60)} s`
}
