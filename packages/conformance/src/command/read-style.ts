import type { ReportStyle } from '../report/format-report.ts'
import type { ConformanceWorld } from './command-world.ts'

/** Wider lines are hard to read. */
const MAX_COLUMNS = 110
const MIN_COLUMNS = 40

/** The colours and the width of the output. */
export function readStyle({ columns, hasColours }: ConformanceWorld, verbose: boolean): ReportStyle {
  // Select Graphic Rendition codes of ECMA-48: on, off.
  const paint =
    (on: number, off: number) =>
    (text: string): string =>
      hasColours && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text
  return {
    columns: Math.min(Math.max(columns, MIN_COLUMNS), MAX_COLUMNS),
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    verbose,
  }
}
