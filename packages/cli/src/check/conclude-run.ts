import {
  describeSpending,
  formatSummary,
  type CheckResult,
  type Findings,
  type ReportStyle,
  type Spending,
  type Stop,
} from '@farebox/conformance/agent'
import { printable } from '../terminal/printable.ts'
import { wrap } from '../terminal/wrap.ts'

/** Where the reasons begin why checks could not be put. */
const WHY_COLUMN = 18

/**
 * The end of a report, as lines: the counts, why not all checks were put, what was paid.
 *
 * @param asked how many checks there were to put
 */
export function concludeRun(
  findings: Findings,
  spending: Spending | undefined,
  asked: number,
  style: ReportStyle,
): readonly string[] {
  const { results, stopped } = findings
  const lines = [formatSummary(results, style, 'need --paid')]
  if (stopped !== undefined) {
    const reason = wrap(stopReason(stopped), style.columns - 2)
    lines.push(`  ${results.length} of ${asked} put`, ...reason.map(one => `  ${style.red(one)}`))
  }
  if (spending !== undefined && spending.payments > 0) {
    lines.push(...describeSpending(spending).map(line => `  ${style.dim(line)}`))
  }
  return lines
}

/** Why checks that concern this agent could not be put, and how many, as lines. */
export function whyNotAsked(results: readonly CheckResult[], style: ReportStyle): readonly string[] {
  const reasons = new Map<string, number>()
  for (const result of results) {
    if (result.outcome === 'not applicable' && ['agent', 'budget'].includes(result.missing)) {
      reasons.set(result.why, (reasons.get(result.why) ?? 0) + 1)
    }
  }
  return [...reasons].flatMap(([why, count]) => {
    const start = style.dim(`${count} not asked`.padEnd(WHY_COLUMN - 2))
    const [first = '', ...rest] = wrap(printable(why), style.columns - WHY_COLUMN)
    return [`  ${start}${first}`, ...rest.map(more => ' '.repeat(WHY_COLUMN) + more)]
  })
}

function stopReason({ reason, after }: Stop): string {
  const since = after === undefined ? '' : ` since "${after.title}"`
  switch (reason) {
    case 'interrupted':
      return 'interrupted'
    case 'gone':
      return `no answer${since}: its log may tell why`
    case 'slow':
      return 'the agent left too many questions unanswered; --timeout waits longer'
    case 'no agent':
      return 'neither /health nor /about answers as an agent does: is this the address of one?'
  }
}
