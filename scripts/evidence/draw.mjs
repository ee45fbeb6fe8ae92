// Draws docs/reliability.md from docs/evidence.json: node scripts/evidence/draw.mjs

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Explained, root } from '../prepare.mjs'
import { ageOf } from './age.mjs'
import { readRecords } from './record.mjs'

const PAGE = 'docs/reliability.md'
/** Differs with every commit, so two pages are compared without it. */
const AGE = /; (?:[\d,]+ lines changed since|age not known)(?=\.$)/gm

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

/** Writes the page. */
export function drawReliability(root) {
  writeFileSync(join(root, PAGE), formatReliability(root, fireRecords(root)))
}

/**
 * Throws where the page is not what the table says, the age of a record left aside. Returns the number of records,
 * and the names of those that are old or of unknown age.
 */
export function checkEvidence(root) {
  const records = readRecords(root)
  const drawn = formatReliability(root, fireRecords(root))
  if (readFileSync(join(root, PAGE), 'utf8').replace(AGE, '') !== drawn.replace(AGE, ''))
    throw new Explained(`${PAGE} is not what docs/evidence.json says: npm run check -- --fix draws it`)
  const aged = records.map(record => ({ name: record.name, ...ageOf(root, record) }))
  return {
    count: records.length,
    old: aged.filter(({ isOld }) => isOld).map(({ name }) => name),
    unknown: aged.filter(({ isKnown }) => !isKnown).map(({ name }) => name),
  }
}

function fireRecords(root) {
  return readRecords(root).filter(({ name }) => name.startsWith('fire/'))
}

function formatReliability(root, records) {
  return `${HEAD}\n${formatVerdict(records)}.\n${records.map(record => formatRecord(root, record)).join('')}`
}

function formatVerdict(records) {
  const lines = records.flatMap(record => record.lines)
  const reached = lines.filter(line => line.ok).length
  const findings = records.reduce((sum, record) => sum + record.findings, 0)
  return `${reached} of ${lines.length} targets reached, ${findings} ${findings === 1 ? 'finding' : 'findings'}`
}

function formatRecord(root, record) {
  const { name, does, form, commit, date, seed, seconds, machine, command, lines, findings } = record
  const { isKnown, isOld, changed } = ageOf(root, record)
  const old = isOld ? `; ${changed.toLocaleString('en')} lines changed since` : ''
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
    `Measured at ${commit.slice(0, 8)}, ${date}${isKnown ? old : '; age not known'}.`,
    '',
    '| | test | reached | target |',
    '|---|---|---|---|',
    ...rows,
    ...(findings > 0 ? ['', `✗ Findings: ${findings}.`] : []),
    '',
  ].join('\n')
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

/** `4 s`, `12 m 03 s`, `1 h 02 m`. */
function formatSpan(seconds) {
  const whole = Math.round(seconds)
  const two = number => String(number).padStart(2, '0')
  if (whole < 60) return `${whole} s`
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)]
  return hours > 0 ? `${hours} h ${two(minutes)} m` : `${minutes} m ${two(whole % 60)} s`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) drawReliability(root)
