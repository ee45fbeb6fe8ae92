import { styleText } from 'node:util'
import type { BatteryResult } from '../battery.ts'

/** A run that is over. */
export interface BatteryOutcome extends BatteryResult {
  readonly name: string
  readonly seconds: number
}

/** Whether every line was reached and nothing was found. */
export function isPassed({ scores, findings }: BatteryResult): boolean {
  return scores.length > 0 && findings.length === 0 && scores.every(score => score.isMet)
}

/** What was tried, and below it what was reached and what was asked; then what was found. */
export function formatScorecard(outcomes: readonly BatteryOutcome[], isColoured: boolean): string {
  const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
    isColoured ? styleText(style, text) : text
  const lines: string[] = []
  for (const outcome of outcomes) {
    lines.push(`  ${paint('bold', outcome.name)}  ${paint('dim', formatSpan(outcome.seconds))}`)
    for (const { test, reached, target, isMet } of outcome.scores) {
      const mark = isMet ? paint('green', '✓') : paint('red', '✗')
      lines.push(`  ${mark} ${test}`, `      ${reached}  ${paint('dim', `asked: ${target}`)}`)
    }
    lines.push(...(outcome.skipped ?? []).map(what => `  ${paint('dim', '-')} skipped: ${what}`))
    lines.push(...outcome.findings.map(finding => `  ${paint('red', '✗')} ${finding}`), '')
  }
  return `${lines.join('\n')}\n  ${paint('bold', formatVerdict(outcomes))}\n`
}

/** One sentence over all. */
function formatVerdict(outcomes: readonly BatteryOutcome[]): string {
  const scores = outcomes.flatMap(outcome => outcome.scores)
  const met = scores.filter(score => score.isMet).length
  const findings = outcomes.reduce((sum, outcome) => sum + outcome.findings.length, 0)
  const failed = outcomes.filter(outcome => !isPassed(outcome)).map(outcome => outcome.name)
  const found = findings === 1 ? '1 finding' : `${findings} findings`
  const skipped = outcomes.reduce((sum, outcome) => sum + (outcome.skipped?.length ?? 0), 0)
  const left = skipped === 0 ? '' : `, ${skipped} skipped`
  const counted = `${met} of ${scores.length} targets reached, ${found}${left}`
  return failed.length === 0 ? counted : `${counted}; look at ${failed.join(', ')}`
}

/** `4 s`, `12 m 03 s`, `1 h 02 m`. */
export function formatSpan(seconds: number): string {
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)]
  return hours > 0 ? `${hours} h ${two(minutes)} m` : `${minutes} m ${two(whole % 60)} s`
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
