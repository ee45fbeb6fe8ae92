import type { CheckResult } from './run-conformance.ts'

/** Column where the rules of a failed check begin. */
const RULES_COLUMN = 72

/**
 * One result as people read it: a line for a check that passed, four for one that failed, none for one that
 * does not apply.
 *
 * @example
 * //   ✗ GET /health answers name, version 1.0 and status ok         interface GET /health
 * //       expected  status 200
 * //       got       404 {"status":"failed", …}
 * //       mend      Serve GET /health from the declaration.
 */
export function formatResult(result: CheckResult): string {
  const { check } = result
  switch (result.outcome) {
    case 'passed':
      return `  ✓ ${check.title}`
    case 'not applicable':
      return ''
    case 'failed': {
      const head = `  ✗ ${check.title}`.padEnd(RULES_COLUMN)
      return [
        `${head}  ${check.rules.join(', ')}`,
        `      expected  ${printable(result.expected)}`,
        `      got       ${printable(result.got)}`,
        `      mend      ${result.mend}`,
      ].join('\n')
    }
  }
}

/** The last line: `31 passed, 1 failed, 6 need --paid`. What does not concern this agent is not counted. */
export function formatSummary(results: readonly CheckResult[]): string {
  const passed = results.filter(({ outcome }) => outcome === 'passed').length
  const failed = results.filter(({ outcome }) => outcome === 'failed').length
  const unpaid = results.filter(
    result =>
      result.outcome === 'not applicable' && (result.missing === 'payer' || result.missing === 'budget'),
  ).length
  const parts = [`${passed} passed`, `${failed} failed`, ...(unpaid > 0 ? [`${unpaid} need --paid`] : [])]
  return `  ${parts.join(', ')}`
}

/** The whole report: every line, then the summary. */
export function formatReport(results: readonly CheckResult[]): string {
  return [...results.map(formatResult).filter(text => text !== ''), formatSummary(results), ''].join('\n')
}

/** What a stranger's agent answered must not move the reader's cursor. */
function printable(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, '·')
}
