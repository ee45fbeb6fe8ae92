import type { Part, TimeLinePanel } from './bench.ts'
import { milliseconds } from './figures.ts'
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

const ROW_HEIGHT = 22
const BAR_HEIGHT = 12
/** The goal's name below the last bar. */
const AXIS_HEIGHT = 20
/** A part that is shorter than this can be seen all the same. */
const LEAST_WIDTH = 1.5

/** A bar for each part, which begins where the part before ends; a line down through all is the goal for their sum. */
export function timeLinePanel({ title, about, goalMs, parts }: TimeLinePanel): DrawnPanel {
  const placed = place(parts.filter(({ ms }) => ms > 0))
  const wholeMs = Math.max(goalMs, ...placed.map(({ fromMs, part }) => fromMs + part.ms)) * HEADROOM
  const at = (ms: number): number => round((ms / wholeMs) * BARS)
  const goalAt = LABEL_WIDTH + at(goalMs)
  const barsHeight = placed.length * ROW_HEIGHT
  const drawPart = ({ part, fromMs }: Placed, top: number): string => `<g>
  <text x="0" y="${top + 10}">${escape(part.name)}</text>
  <rect class="rail" x="${LABEL_WIDTH}" y="${top}" width="${BARS}" height="${BAR_HEIGHT}" rx="3"/>
  <rect class="${part.who}" x="${LABEL_WIDTH + at(fromMs)}" y="${top}" width="${Math.max(LEAST_WIDTH, at(part.ms))}" height="${BAR_HEIGHT}" rx="2"/>
  <text x="${WIDTH}" y="${top + 10}" text-anchor="end">${milliseconds(part.ms)}</text>
</g>`
  return {
    height: HEAD_HEIGHT + barsHeight + AXIS_HEIGHT,
    draw: top =>
      [
        drawHead(top, title, about),
        ...placed.map((one, index) => drawPart(one, top + HEAD_HEIGHT + index * ROW_HEIGHT)),
        `<line class="goal" x1="${goalAt}" x2="${goalAt}" y1="${top + HEAD_HEIGHT - 4}" y2="${top + HEAD_HEIGHT + barsHeight}"/>`,
        `<text class="quiet" x="${goalAt}" y="${top + HEAD_HEIGHT + barsHeight + 14}" text-anchor="middle">our goal, ${milliseconds(goalMs)}</text>`,
      ].join('\n'),
  }
}

interface Placed {
  readonly part: Part
  readonly fromMs: number
}

function place(parts: readonly Part[]): readonly Placed[] {
  let fromMs = 0
  return parts.map(part => {
    const placed = { part, fromMs }
    fromMs += part.ms
    return placed
  })
}
