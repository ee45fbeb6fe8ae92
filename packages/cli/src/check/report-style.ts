import type { ReportStyle } from '@farebox/conformance/agent'
import { paintFor } from '../terminal/paint.ts'
import type { Screen } from '../world.ts'

/** Wider lines are not read well. */
const MAX_COLUMNS = 110
const MIN_COLUMNS = 40

/** The report in the colours and the width of a screen. */
export function reportStyle(screen: Screen, options: { readonly verbose: boolean }): ReportStyle {
  const { bold, dim, red, green } = paintFor(screen)
  const columns = Math.min(Math.max(screen.columns, MIN_COLUMNS), MAX_COLUMNS)
  return { columns, bold, dim, red, green, verbose: options.verbose }
}
