import type { Flow } from '@farebox/flows/document/flow'
import { paintFor } from '../../terminal/paint.ts'
import type { Screen } from '../../world.ts'
import { whoDoes, type StepLine } from './step-lines.ts'

/** How wide the columns of a flow's steps are. */
export interface StepColumns {
  readonly step: number
  readonly who: number
}

const WIDEST_STEP = 24
const WIDEST_WHO = 34

/** Columns that fit all steps of a flow, the longest names cut. */
export function columnsFor({ steps }: Pick<Flow, 'steps'>): StepColumns {
  const widest = (texts: readonly string[], most: number): number =>
    Math.min(most, Math.max(0, ...texts.map(({ length }) => length)))
  return {
    step: widest(Object.keys(steps), WIDEST_STEP),
    who: widest(Object.values(steps).map(whoDoes), WIDEST_WHO),
  }
}

/**
 * A step as a line: sign, name, who does it, time, price, and what there is to say beside.
 *
 * @param sign one character
 * @param tookMs absent: as the line has it
 */
export function drawStep(
  screen: Screen,
  columns: StepColumns,
  line: StepLine,
  {
    sign = signOf(screen, line),
    tookMs = line.tookMs,
  }: { readonly sign?: string; readonly tookMs?: number } = {},
): string {
  const { dim, red, yellow } = paintFor(screen)
  const paint =
    line.state === 'failed' ? red : line.state === 'asking' || line.state === 'waiting' ? yellow : dim
  const cells = [
    fit(line.step, columns.step),
    dim(fit(line.who, columns.who)),
    dim((tookMs === undefined ? '' : duration(tookMs)).padStart(7)),
    (line.price ?? '').padStart(10),
  ]
  const head = `  ${sign} ${cells.join('  ')}`
  if (line.note === '') return head.trimEnd()
  const used = 4 + columns.step + columns.who + 7 + 10 + 8
  // A line that breaks is still read; one of a moving block could not be taken away again.
  const room = screen.live ? Math.max(12, screen.columns - used - 1) : line.note.length
  return `${head}  ${paint(cut(line.note, room))}`
}

/** Meaning never hangs on a colour alone. */
function signOf(screen: Screen, { state }: StepLine): string {
  const { dim, red, green, yellow } = paintFor(screen)
  switch (state) {
    case 'done':
      return green('✓')
    case 'failed':
      return red('✗')
    case 'asking':
      return yellow('?')
    case 'left-out':
      return dim('–')
    case 'working':
    case 'waiting':
    case 'sleeping':
      return dim('·')
  }
}

/** `0.8 s`, `12 s`, `3 min`. */
export function duration(ms: number): string {
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`
  const minutes = Math.round(ms / 60_000)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}

function fit(text: string, width: number): string {
  return cut(text, width).padEnd(width)
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(1, width - 1))}…`
}
