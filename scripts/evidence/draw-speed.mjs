// docs/speed.svg: how many times as fast as its peer Farebox is in each bench. Readable on light and dark pages.

import { describeMeasured } from './age.mjs'

/** Sizes in the drawing's own units, a pixel each if it is not scaled. */
const WIDTH = 760
const LABEL_WIDTH = 190
const BARS = WIDTH - LABEL_WIDTH - 94
const HEAD_HEIGHT = 64
const LINE_HEIGHT = 60
/** The free share of the scale after the longest bar or goal. */
const HEADROOM = 1.04

/**
 * A bar for each line of `bench/…` that has a `short` name: `times` as fast as its peer, with its `goal` if there is
 * one.
 */
export function drawSpeed(root, records) {
  const bars = records
    .filter(({ name }) => name.startsWith('bench/'))
    .flatMap(record => record.lines.map(line => ({ ...line, measured: describeMeasured(root, record) })))
    .filter(({ short }) => short !== undefined)
  const longest = Math.max(...bars.flatMap(({ times, goal = 0 }) => [times, goal]))
  const at = times => Math.round((times / (longest * HEADROOM)) * BARS * 10) / 10
  const height = HEAD_HEIGHT + bars.length * LINE_HEIGHT
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" role="img"
  aria-label="How many times as fast as the peers Farebox is">
<style>
${STYLE}
</style>
<text class="title" x="0" y="20">Times as fast as the peer</text>
<text class="quiet" x="0" y="40">dashed: the peer itself · mark: our goal · measured together, in one run: npm run bench</text>
${bars.map((bar, index) => drawBar(bar, HEAD_HEIGHT + index * LINE_HEIGHT, at)).join('\n')}
</svg>
`
}

function drawBar({ short, times, goal, ok, reached, measured }, top, at) {
  const mark = (name, value, over) => {
    const x = LABEL_WIDTH + at(value)
    return `<line class="${name}" x1="${x}" x2="${x}" y1="${top - over}" y2="${top + 14 + over}"/>`
  }
  const rect = (name, width) =>
    `<rect class="${name}" x="${LABEL_WIDTH}" y="${top}" width="${width}" height="14" rx="3"/>`
  return `<g>
  <text x="0" y="${top + 12}">${escape(short)}</text>
  <text class="quiet" x="${LABEL_WIDTH}" y="${top + 28}">${escape(reached)}</text>
  <text class="quiet" x="${LABEL_WIDTH}" y="${top + 42}">${escape(measured)}</text>
  ${rect('rail', BARS)}
  ${rect('bar', at(times))}
  ${mark('peer', 1, 0)}${goal === undefined ? '' : `\n  ${mark('goal', goal, 4)}`}
  <text class="ratio" x="${WIDTH}" y="${top + 12}" text-anchor="end">${cut(times)}×${goal === undefined ? '' : ok ? ' ✓' : ' ✗'}</text>
</g>`
}

/** Truncated, not rounded: a bar that narrowly missed its goal does not show the goal's own figure. */
function cut(times) {
  const digits = times < 20 ? 1 : 0
  return (Math.floor(times * 10 ** digits) / 10 ** digits).toFixed(digits)
}

/** For text between tags. */
function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

const STYLE = `  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
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
  }`
