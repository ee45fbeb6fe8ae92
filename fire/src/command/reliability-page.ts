import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BatteryRecord } from './battery-record.ts'
import { formatSpan, formatVerdict } from './format-scorecard.ts'

/** Where the last full run of each battery is kept. */
const RECORDS = join('fire', 'records')
const PAGE = join('docs', 'reliability.md')

/**
 * Keeps the records of full runs, and draws `docs/reliability.md` anew from the last one of each battery, so that
 * batteries can be run one at a time. `names` is the order on the page. Resolves to the page's path.
 */
export async function writeReliability(
  root: string,
  fresh: readonly BatteryRecord[],
  names: readonly string[],
): Promise<string> {
  const folder = join(root, RECORDS)
  await mkdir(folder, { recursive: true })
  for (const record of fresh)
    await writeFile(join(folder, `${record.name}.json`), `${JSON.stringify(record, undefined, 2)}\n`)
  const kept = new Set(await readdir(folder))
  const records: BatteryRecord[] = []
  for (const name of names.filter(name => kept.has(`${name}.json`)))
    // Written above, by this program.
    records.push(JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as BatteryRecord)
  await writeFile(join(root, PAGE), formatReliability(records))
  return PAGE
}

/** The page, as Markdown. */
function formatReliability(records: readonly BatteryRecord[]): string {
  return `${HEAD}\n${formatVerdict(records)}.\n${records.map(formatBattery).join('')}`
}

const HEAD = `# Reliability

<!-- Drawn by \`npm run fire -- --write\` from fire/records; do not edit. -->

What was done to break the promises of Farebox, with the real agent, the real facilitator and real processes, and
what came of it. Each battery can be run again: the seed makes the same random choices. A line that missed its
target stays on this page with a ✗.

\`\`\`
npm run fire                       all of it; hours
npm run fire -- --small            the form that \`npm test -- fire\` runs; a minute or two
npm run fire -- --only storms      one battery
\`\`\`
`

function formatBattery(record: BatteryRecord): string {
  const { name, does, day, seed, tookSeconds, machine, scores, findings } = record
  const rows = scores.map(
    score =>
      `| ${score.isMet ? '✓' : '✗'} | ${cell(score.test)} | ${cell(score.reached)} | ${cell(score.target)} |`,
  )
  const found = findings.map(finding => `- ✗ ${cell(finding)}`)
  return [
    '',
    `## ${name}`,
    '',
    does,
    '',
    `${day}, seed ${seed}, ${formatSpan(tookSeconds)}, ${machine}.`,
    '',
    '| | test | reached | target |',
    '|---|---|---|---|',
    ...rows,
    ...(found.length > 0 ? ['', ...found] : []),
    '',
  ].join('\n')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
