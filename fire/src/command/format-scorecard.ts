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

/** What was tried, and below it what was reached and what was asked; then what was found, and a sentence over all. */
export function formatScorecard(outcomes: readonly BatteryOutcome[]): string {
  const lines = outcomes.flatMap(({ name, seconds, scores, findings, skipped = [] }) => [
    `  ${name}  ${formatSpan(seconds)}`,
    ...scores.flatMap(({ test, reached, target, isMet }) => [
      `  ${isMet ? '✓' : '✗'} ${test}`,
      `      ${reached}  asked: ${target}`,
    ]),
    ...skipped.map(what => `  - skipped: ${what}`),
    ...findings.map(finding => `  ✗ ${finding}`),
    '',
  ])
  const scores = outcomes.flatMap(outcome => outcome.scores)
  const found = outcomes.flatMap(({ findings }) => findings).length
  const skipped = outcomes.flatMap(outcome => outcome.skipped ?? []).length
  const failed = outcomes.filter(outcome => !isPassed(outcome)).map(({ name }) => name)
  const verdict = [
    `${scores.filter(({ isMet }) => isMet).length} of ${scores.length} targets reached`,
    `, ${found} finding${found === 1 ? '' : 's'}`,
    skipped === 0 ? '' : `, ${skipped} skipped`,
    failed.length === 0 ? '' : `; look at ${failed.join(', ')}`,
  ]
  return `${lines.join('\n')}\n  ${verdict.join('')}\n`
}

/** `4 s`, `12 m 03 s`, `1 h 02 m`. */
export function formatSpan(seconds: number): string {
  const two = (number: number): string => String(number).padStart(2, '0')
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)]
  return hours > 0 ? `${hours} h ${two(minutes)} m` : `${minutes} m ${two(whole % 60)} s`
}
