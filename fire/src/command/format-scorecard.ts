import { styleText } from 'node:util'
import { isPassed, type BatteryRecord } from './battery-record.ts'

/** How a scorecard is coloured; its marks say the same without. */
export interface ScorecardPaint {
  bold(text: string): string
  dim(text: string): string
  bad(text: string): string
  good(text: string): string
}

/** Without colours. */
export const PLAIN: ScorecardPaint = {
  bold: text => text,
  dim: text => text,
  bad: text => text,
  good: text => text,
}

/** For a terminal. */
export const COLOURED: ScorecardPaint = {
  bold: text => styleText('bold', text),
  dim: text => styleText('dim', text),
  bad: text => styleText('red', text),
  good: text => styleText('green', text),
}

/** What was tried, and below it what was reached and what was asked; then what was found. */
export function formatScorecard(records: readonly BatteryRecord[], paint: ScorecardPaint): string {
  const lines: string[] = []
  for (const record of records) {
    lines.push(`  ${paint.bold(record.name)}  ${paint.dim(formatSpan(record.tookSeconds))}`)
    for (const { test, reached, target, isMet } of record.scores) {
      const mark = isMet ? paint.good('✓') : paint.bad('✗')
      lines.push(`  ${mark} ${test}`, `      ${reached}  ${paint.dim(`asked: ${target}`)}`)
    }
    lines.push(...record.findings.map(finding => `  ${paint.bad('✗')} ${finding}`), '')
  }
  return `${lines.join('\n')}\n  ${paint.bold(formatVerdict(records))}\n`
}

/** One sentence over all. */
export function formatVerdict(records: readonly BatteryRecord[]): string {
  const scores = records.flatMap(record => record.scores)
  const met = scores.filter(score => score.isMet).length
  const findings = records.reduce((sum, record) => sum + record.findings.length, 0)
  const failed = records.filter(record => !isPassed(record)).map(record => record.name)
  const found = findings === 1 ? '1 finding' : `${findings} findings`
  const counted = `${met} of ${scores.length} targets reached, ${found}`
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
