import { drawPages } from '../../../scripts/evidence/draw.mjs'
import { writeRecord, type EvidenceRecord } from '../../../scripts/evidence/record.mjs'
import { CURRENT } from '../stage/build.ts'
import { reaches, type Row } from './bench.ts'
import { describeGoal } from './table.ts'

/** The result of one bench. */
export interface Measured {
  readonly name: string
  readonly rows: readonly Row[]
  readonly seconds: number
}

/** The packages whose changes make these figures outdated, as in `docs/evidence.json`. */
const PACKAGES: { readonly [name: string]: readonly string[] } = {
  verify: ['packages/payments'],
  blocks: ['packages/facilitator', 'packages/payments'],
  flows: ['packages/flows', 'packages/platform', 'packages/client'],
  search: ['packages/platform'],
  monitor: ['packages/platform'],
  web: ['apps/web', 'packages/platform'],
}
const PAID_PATH = ['packages/farebox', 'packages/facilitator', 'packages/payments']

/** Writes each bench as the record `bench/<name>`, a line for each row, and draws the pages. */
export function recordBenches(
  benches: readonly Measured[],
  { machine, commit }: { readonly machine: string; readonly commit: string },
): void {
  for (const { name, rows, seconds } of benches) {
    writeRecord(CURRENT.root, {
      name: `bench/${name}`,
      commit,
      form: 'full',
      command: `npm run bench -- --only ${name}`,
      machine,
      seconds: Math.round(seconds * 10) / 10,
      lines: rows.map(formatLine),
      packages: PACKAGES[name] ?? PAID_PATH,
    })
  }
  drawPages(CURRENT.root)
}

/** A line of a record. */
export function formatLine({ what, short, ours, peer, ratio, goal }: Row): EvidenceRecord['lines'][number] {
  const times = ratio === undefined ? '' : ` (${ratio.toFixed(2)}×)`
  return {
    test: what,
    reached: peer === undefined ? ours : `${ours}; ${peer.name} ${peer.figure}${times}`,
    target: describeGoal(goal),
    ok: goal === undefined || ratio === undefined || reaches(ratio, goal),
    ...(short !== undefined && ratio !== undefined && { short, times: Number(ratio.toFixed(2)) }),
    ...(short !== undefined && goal !== undefined && 'atLeast' in goal && { goal: goal.atLeast }),
  }
}
