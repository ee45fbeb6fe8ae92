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
/** A part that is shorter than this can be seen all the same. */
const LEAST_WIDTH = 1.5

/** A bar for each part, which begins where the part before ends. */
export function timeLinePanel({ title, about, parts }: TimeLinePanel): DrawnPanel {
  const placed = place(parts.filter(({ ms }) => ms > 0))
  const wholeMs = placed.reduce((sum, { part }) => sum + part.ms, 0) * HEADROOM
  const at = (ms: number): number => round((ms / wholeMs) * BARS)
  const drawPart = ({ part, fromMs }: Placed, top: number): string => `<g>
  <text x="0" y="${top + 10}">${escape(part.name)}</text>
  <rect class="rail" x="${LABEL_WIDTH}" y="${top}" width="${BARS}" height="${BAR_HEIGHT}" rx="3"/>
  <rect class="${part.who}" x="${LABEL_WIDTH + at(fromMs)}" y="${top}" width="${Math.max(LEAST_WIDTH, at(part.ms))}" height="${BAR_HEIGHT}" rx="2"/>
  <text x="${WIDTH}" y="${top + 10}" text-anchor="end">${milliseconds(part.ms)}</text>
</g>`
  return {
    height: HEAD_HEIGHT + placed.length * ROW_HEIGHT,
    draw: top =>
      [
        drawHead(top, title, about),
        ...placed.map((one, index) => drawPart(one, top + HEAD_HEIGHT + index * ROW_HEIGHT)),
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
