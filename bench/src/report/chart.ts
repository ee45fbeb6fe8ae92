import type { Row } from './bench.ts'
import { ratesPanel } from './draw-rates.ts'
import { ratiosPanel } from './draw-ratios.ts'
import { timeLinePanel } from './draw-time-line.ts'
import { escape, WIDTH, type DrawnPanel } from './svg.ts'

const GAP = 28
const FOOT_HEIGHT = 40

/**
 * The ratios first, then the panels that lines bring with them, one below the other. Readable on light and dark pages.
 */
export function drawChart(rows: readonly Row[], machine: string): string {
  const panels = [ratiosPanel(rows), ...rows.map(panelOf)].filter(panel => panel !== undefined)
  let height = 0
  const drawn = panels.map(panel => {
    const top = height === 0 ? 0 : height + GAP
    height = top + panel.height
    return panel.draw(top)
  })
  height += FOOT_HEIGHT
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" role="img"
  aria-label="How many times faster than the peers, how many payments are settled a second, and where the time of a job goes">
<style>
${STYLE}
</style>
${drawn.join('\n')}
<text class="quiet" x="0" y="${height - 12}">${escape(machine.replace(/, load .*/, ''))} · npm run bench</text>
</svg>
`
}

function panelOf({ panel }: Row): DrawnPanel | undefined {
  if (panel === undefined) return undefined
  return panel.kind === 'rates' ? ratesPanel(panel) : timeLinePanel(panel)
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
