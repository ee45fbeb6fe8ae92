import type { RatesPanel } from './bench.ts'
import { rate } from './figures.ts'
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

const ROW_HEIGHT = 30
const BAR_HEIGHT = 14

/** A bar for each who settled, ours in color; one mark through all bars of ours is the goal. */
export function ratesPanel({ title, about, bars, goalPerSecond }: RatesPanel): DrawnPanel {
  const longest = Math.max(goalPerSecond, ...bars.map(({ perSecond }) => perSecond)) * HEADROOM
  const widthOf = (perSecond: number): number => round((perSecond / longest) * BARS)
  const goalAt = LABEL_WIDTH + widthOf(goalPerSecond)
  const drawBar = ({ name, isOurs, perSecond }: RatesPanel['bars'][number], top: number): string => `<g>
  <text x="0" y="${top + 12}">${escape(name)}</text>
  <rect class="rail" x="${LABEL_WIDTH}" y="${top}" width="${BARS}" height="${BAR_HEIGHT}" rx="3"/>
  <rect class="${isOurs ? 'bar' : 'other'}" x="${LABEL_WIDTH}" y="${top}" width="${widthOf(perSecond)}" height="${BAR_HEIGHT}" rx="3"/>${
    isOurs
      ? `\n  <line class="goal" x1="${goalAt}" x2="${goalAt}" y1="${top - 4}" y2="${top + BAR_HEIGHT + 4}"/>`
      : ''
  }
  <text class="ratio" x="${WIDTH}" y="${top + 12}" text-anchor="end">${rate(perSecond)}</text>
</g>`
  return {
    height: HEAD_HEIGHT + bars.length * ROW_HEIGHT,
    draw: top =>
      [
        drawHead(top, title, about),
        ...bars.map((bar, index) => drawBar(bar, top + HEAD_HEIGHT + index * ROW_HEIGHT)),
      ].join('\n'),
  }
}
