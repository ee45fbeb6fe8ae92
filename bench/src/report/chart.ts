import type { Goal, Row } from './bench.ts'

/** Sizes in the drawing's own units, a pixel each where it is not scaled. */
const WIDTH = 760
const LABEL_WIDTH = 190
const RATIO_WIDTH = 70
const ROW_HEIGHT = 46
const HEAD_HEIGHT = 64
const FOOT_HEIGHT = 40
const BAR_HEIGHT = 14
const BARS = WIDTH - LABEL_WIDTH - RATIO_WIDTH - 24

/** How much of the scale is left free behind the longest bar or goal. */
const HEADROOM = 1.04

/** A line of the table that can be drawn: the larger its ratio the better. */
interface Drawn extends Row {
  readonly short: string
  readonly goal: Extract<Goal, { atLeast: number }>
}

/**
 * The lines that name a `short` and a goal to reach, as bars: how many times the peer's figure ours is, with the
 * goal as a mark beside it, reached or not. Readable on light and dark pages.
 */
export function drawChart(rows: readonly Row[], machine: string): string {
  const drawn = rows.filter(isDrawn)
  const longest = Math.max(1, ...drawn.flatMap(({ ratio, goal }) => [ratio, goal.atLeast])) * HEADROOM
  const height = HEAD_HEIGHT + drawn.length * ROW_HEIGHT + FOOT_HEIGHT
  const at = (ratio: number): number => LABEL_WIDTH + (ratio / longest) * BARS
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" role="img"
  aria-label="How many times faster than the peers, for each second of CPU time">
<style>
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 16px; font-weight: 600 }
  .quiet { font-size: 11px; fill: #59636e }
  .ratio { font-weight: 600 }
  .bar { fill: #1a7f64 }
  .rail { fill: #8c959f; opacity: .16 }
  .peer { stroke: #fff; stroke-width: 1.5; stroke-dasharray: 2 2 }
  .goal { stroke: #1f2328; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .quiet { fill: #9198a1 }
    .bar { fill: #3fb68b }
    .peer { stroke: #0d1117 }
    .goal { stroke: #e6edf3 }
  }
</style>
<text class="title" x="0" y="20">Times the peer, for each second of CPU time</text>
<text class="quiet" x="0" y="40">dashed: the peer itself · mark: our goal · measured together, in one run</text>
${drawn.map((row, index) => drawRow(row, HEAD_HEIGHT + index * ROW_HEIGHT, at)).join('\n')}
<text class="quiet" x="0" y="${height - 12}">${escape(machine.replace(/, load .*/, ''))} · npm run bench</text>
</svg>
`
}

function isDrawn(row: Row): row is Drawn {
  return row.short !== undefined && row.goal !== undefined && 'atLeast' in row.goal
}

function drawRow(
  { short, ratio, goal, ours, peer }: Drawn,
  top: number,
  at: (ratio: number) => number,
): string {
  const [peerAt, goalAt] = [round(at(1)), round(at(goal.atLeast))]
  return `<g>
  <text x="0" y="${top + 12}">${escape(short)}</text>
  <text class="quiet" x="${LABEL_WIDTH}" y="${top + 30}">${escape(`${ours} against ${peer.figure}, ${peer.name}`)}</text>
  <rect class="rail" x="${LABEL_WIDTH}" y="${top}" width="${BARS}" height="${BAR_HEIGHT}" rx="3"/>
  <rect class="bar" x="${LABEL_WIDTH}" y="${top}" width="${round(at(ratio) - LABEL_WIDTH)}" height="${BAR_HEIGHT}" rx="3"/>
  <line class="peer" x1="${peerAt}" x2="${peerAt}" y1="${top}" y2="${top + BAR_HEIGHT}"/>
  <line class="goal" x1="${goalAt}" x2="${goalAt}" y1="${top - 4}" y2="${top + BAR_HEIGHT + 4}"/>
  <text class="ratio" x="${WIDTH}" y="${top + 12}" text-anchor="end">${shownRatio(ratio)}× ${ratio >= goal.atLeast ? '✓' : '✗'}</text>
</g>`
}

function round(number: number): number {
  return Math.round(number * 10) / 10
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Cut, not rounded: what missed its goal by a hair does not show the goal's own figure. */
function shownRatio(ratio: number): string {
  const digits = ratio < 20 ? 1 : 0
  return (Math.floor(ratio * 10 ** digits) / 10 ** digits).toFixed(digits)
}
