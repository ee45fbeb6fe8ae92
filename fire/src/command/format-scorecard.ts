import { formatSpan } from '../../../scripts/evidence/format-reliability.mjs'
import type { BatteryResult } from '../battery.ts'

/** A completed run. */
export interface BatteryOutcome extends BatteryResult {
  readonly name: string
  readonly seconds: number
}

/** Whether every target was reached and there were no findings. */
export function isPassed({ scores, findings }: BatteryResult): boolean {
  return scores.length > 0 && findings.length === 0 && scores.every(score => score.isMet)
}

/** The tests, below each its result and its target; then the findings. */
export function formatScorecard({ name, seconds, scores, findings, skipped = [] }: BatteryOutcome): string {
  const lines = [
    `${name}  ${formatSpan(seconds)}`,
    ...scores.flatMap(({ test, reached, target, isMet }) => [
      `${isMet ? '✓' : '✗'} ${test}`,
      `    ${reached}  asked: ${target}`,
    ]),
    ...skipped.map(what => `- skipped: ${what}`),
    ...findings.map(finding => `✗ ${finding}`),
  ]
  return `${lines.map(line => `  ${line}\n`).join('')}\n`
}

/** A summary in one sentence. */
export function formatVerdict(outcomes: readonly BatteryOutcome[]): string {
  const scores = outcomes.flatMap(outcome => outcome.scores)
  const found = outcomes.flatMap(({ findings }) => findings).length
  const failed = outcomes.filter(outcome => !isPassed(outcome)).map(({ name }) => name)
  const reached = `${scores.filter(({ isMet }) => isMet).length} of ${scores.length} targets reached`
  const look = failed.length === 0 ? '' : `; look at ${failed.join(', ')}`
  return `  ${reached}, ${found} ${found === 1 ? 'finding' : 'findings'}${look}\n`
}
