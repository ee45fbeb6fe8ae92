import type { Goal, Row } from './bench.ts'
import {
  BARS,
  drawHead,
  escape,
  HEAD_HEIGHT,
  HEADROOM,
  LABEL_WIDTH,
  round,
  WIDTH,
  type DrawnPanel,
} from './svg.ts'

const ROW_HEIGHT = 46
const BAR_HEIGHT = 14

/** A line of the table that can be drawn: the larger its ratio the better. */
interface Drawn extends Row {
  readonly short: string
  readonly goal: Extract<Goal, { atLeast: number }>
}

/**
 * The lines that name a `short` and a goal to reach, as bars: how many times the peer's figure ours is, with the goal as a
 * mark beside it, reached or not. Undefined where there is none.
 */
export function ratiosPanel(rows: readonly Row[]): DrawnPanel | undefined {
  const drawn = rows.filter(isDrawn)
  if (drawn.length === 0) return undefined
  const longest = Math.max(1, ...drawn.flatMap(({ ratio, goal }) => [ratio, goal.atLeast])) * HEADROOM
  const at = (ratio: number): number => LABEL_WIDTH + (ratio / longest) * BARS
  return {
    height: HEAD_HEIGHT + drawn.length * ROW_HEIGHT,
    draw: top =>
      [
        drawHead(
          top,
          'Times the peer, for each second of CPU time',
          'dashed: the peer itself · mark: our goal · measured together, in one run',
        ),
        ...drawn.map((row, index) => drawRow(row, top + HEAD_HEIGHT + index * ROW_HEIGHT, at)),
      ].join('\n'),
  }
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

/** Cut, not rounded: what missed its goal by a hair does not show the goal's own figure. */
function shownRatio(ratio: number): string {
  const digits = ratio < 20 ? 1 : 0
  return (Math.floor(ratio * 10 ** digits) / 10 ** digits).toFixed(digits)
}
