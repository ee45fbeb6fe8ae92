import type { Goal, RatesPanel, Row, TimeLinePanel } from './bench.ts'
import { milliseconds, rate } from './figures.ts'

/** Sizes in the drawing's own units, a pixel each where it is not scaled. */
const WIDTH = 760
const LABEL_WIDTH = 190
const BARS = WIDTH - LABEL_WIDTH - 94
/** How much of a scale is left free behind the longest bar or goal. */
const HEADROOM = 1.04
const HEAD_HEIGHT = 64
const GAP = 28
const FOOT_HEIGHT = 40
/** A bar that is shorter than this can be seen all the same. */
const LEAST_WIDTH = 1.5

/** A title, and a bar for each line, all on one scale. */
interface Panel {
  readonly title: string
  readonly about: string
  readonly lineHeight: number
  readonly lines: readonly Line[]
}

interface Line {
  readonly label: string
  /** The class of the bar, which gives its color. */
  readonly color: string
  readonly from: number
  readonly length: number
  /** Where a mark for our goal is, and one for the peer itself. */
  readonly goal?: number
  readonly peer?: number
  /** Behind the bar, and below it. */
  readonly figure: string
  readonly below?: string
}

/** The ratios first, then the panels that rows bring, one below the other. Readable on light and dark pages. */
export function drawChart(rows: readonly Row[], machine: string): string {
  const ratios = ratiosPanel(rows)
  const panels = [...(ratios.lines.length === 0 ? [] : [ratios]), ...rows.flatMap(panelOf)]
  let height = 0
  const drawn = panels.map(panel => {
    const top = height === 0 ? 0 : height + GAP
    height = top + HEAD_HEIGHT + panel.lines.length * panel.lineHeight
    return drawPanel(panel, top)
  })
  height += FOOT_HEIGHT
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" role="img"
  aria-label="How many times faster than the peers, how many payments are settled a second, and where the time of a job goes">
<style>
${STYLE}
</style>
${drawn.join('\n')}
<text class="quiet" x="0" y="${height - 12}">${escape(machine)} · npm run bench</text>
</svg>
`
}

function ratiosPanel(rows: readonly Row[]): Panel {
  return {
    title: 'Times the peer, for each second of CPU time',
    about: 'dashed: the peer itself · mark: our goal · measured together, in one run',
    lineHeight: 46,
    lines: rows.flatMap(({ short, ratio, goal, ours, peer }) =>
      short === undefined || ratio === undefined || !isAtLeast(goal) || peer === undefined
        ? []
        : [
            {
              label: short,
              color: 'bar',
              from: 0,
              length: ratio,
              goal: goal.atLeast,
              peer: 1,
              figure: `${cut(ratio)}× ${ratio >= goal.atLeast ? '✓' : '✗'}`,
              below: `${ours} against ${peer.figure}, ${peer.name}`,
            },
          ],
    ),
  }
}

function isAtLeast(goal: Goal | undefined): goal is Extract<Goal, { atLeast: number }> {
  return goal !== undefined && 'atLeast' in goal
}

function panelOf({ panel }: Row): readonly Panel[] {
  if (panel === undefined) return []
  return [panel.kind === 'rates' ? ratesPanel(panel) : timeLinePanel(panel)]
}

function ratesPanel({ title, about, bars, goalPerSecond }: RatesPanel): Panel {
  return {
    title,
    about,
    lineHeight: 30,
    lines: bars.map(({ name, isOurs, perSecond }) => ({
      label: name,
      color: isOurs ? 'bar' : 'other',
      from: 0,
      length: perSecond,
      ...(isOurs && { goal: goalPerSecond }),
      figure: rate(perSecond),
    })),
  }
}

/** Each part begins where the one before ends. */
function timeLinePanel({ title, about, parts }: TimeLinePanel): Panel {
  let passedMs = 0
  const lines = parts
    .filter(({ ms }) => ms > 0)
    .map(({ who, name, ms }): Line => {
      passedMs += ms
      return { label: name, color: who, from: passedMs - ms, length: ms, figure: milliseconds(ms) }
    })
  return { title, about, lineHeight: 22, lines }
}

function drawPanel({ title, about, lineHeight, lines }: Panel, top: number): string {
  const longest = Math.max(
    ...lines.flatMap(({ from, length, goal = 0, peer = 0 }) => [from + length, goal, peer]),
  )
  const at = (value: number): number => round((value / (longest * HEADROOM)) * BARS)
  return [
    `<text class="title" x="0" y="${top + 20}">${escape(title)}</text>`,
    `<text class="quiet" x="0" y="${top + 40}">${escape(about)}</text>`,
    ...lines.map((line, index) => drawLine(line, top + HEAD_HEIGHT + index * lineHeight, at)),
  ].join('\n')
}

function drawLine(line: Line, top: number, at: (value: number) => number): string {
  const { label, color, from, length, goal, peer, figure, below } = line
  const bar = (name: string, x: number, width: number): string =>
    `<rect class="${name}" x="${x}" y="${top}" width="${width}" height="14" rx="3"/>`
  const mark = (name: string, value: number | undefined, over: number): string => {
    if (value === undefined) return ''
    const x = round(LABEL_WIDTH + at(value))
    return `\n  <line class="${name}" x1="${x}" x2="${x}" y1="${top - over}" y2="${top + 14 + over}"/>`
  }
  return `<g>
  <text x="0" y="${top + 12}">${escape(label)}</text>${
    below === undefined
      ? ''
      : `\n  <text class="quiet" x="${LABEL_WIDTH}" y="${top + 30}">${escape(below)}</text>`
  }
  ${bar('rail', LABEL_WIDTH, BARS)}
  ${bar(color, round(LABEL_WIDTH + at(from)), Math.max(LEAST_WIDTH, at(length)))}${mark('peer', peer, 0)}${mark('goal', goal, 4)}
  <text class="ratio" x="${WIDTH}" y="${top + 12}" text-anchor="end">${figure}</text>
</g>`
}

/** Cut, not rounded: what missed its goal by a hair does not show the goal's own figure. */
function cut(ratio: number): string {
  const digits = ratio < 20 ? 1 : 0
  return (Math.floor(ratio * 10 ** digits) / 10 ** digits).toFixed(digits)
}

/** To a tenth. */
function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** For text between tags. */
function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

const STYLE = `  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 16px; font-weight: 600 }
  .quiet { font-size: 11px; fill: #59636e }
  .ratio { font-weight: 600 }
  .bar, .agent { fill: #1a7f64 }
  .facilitator { fill: #2f6fb5 }
  .database { fill: #b7791f }
  .chain { fill: #7a5fb0 }
  .other { fill: #8c959f }
  .rail { fill: #8c959f; opacity: .16 }
  .peer { stroke: #fff; stroke-width: 1.5; stroke-dasharray: 2 2 }
  .goal { stroke: #1f2328; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .quiet { fill: #9198a1 }
    .bar, .agent { fill: #3fb68b }
    .facilitator { fill: #6ba4e8 }
    .database { fill: #d9a441 }
    .chain { fill: #a68be0 }
    .peer { stroke: #0d1117 }
    .goal { stroke: #e6edf3 }
  }`
