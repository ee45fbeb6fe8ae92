import { isForUnknownAgent } from '../agent/check/is-for-unknown-agent.ts'
import type { Findings, Stop } from '../agent/run/put-checks.ts'
import type { CheckResult, ConformanceRun } from '../agent/run/run-conformance.ts'
import type { AgentRun } from './agent-document.ts'
import { describeSpending } from './describe-spending.ts'
import { formatFailed, type ReportStyle } from './format-report.ts'
import { conclusion, countReasons, type RuleMark, type Skipped } from './rule-line.ts'

const HOW_TO_PAY = '--max-price <usdc> with --key-file <file> pays, or --local <folder> with test money'
const INSIDE =
  'need to know an agent from the inside: its own tests put them with startRun({ known }), see the README'

/** The mark of a result in the list of rules. */
export function markOf({ outcome }: CheckResult): RuleMark {
  return outcome === 'passed' ? 'kept' : outcome === 'failed' ? 'broken' : 'skipped'
}

/** Describes the result of the rule in one line. */
export function whyOf(result: CheckResult): string {
  switch (result.outcome) {
    case 'passed':
      return result.check.title
    case 'failed':
      return `expected ${result.expected}, got ${result.got.trim() === '' ? 'nothing' : result.got}`
    case 'not applicable':
      return `${result.check.title}: ${result.why}`
  }
}

/** Why rules were skipped, without those that need inside knowledge of the agent. */
export function skippedOf(run: ConformanceRun, { results }: Findings, hasPayer: boolean): readonly Skipped[] {
  const reasons = results.flatMap(result => {
    if (result.outcome !== 'not applicable') return []
    return [result.missing === 'payer' && !hasPayer ? `need a payment: ${HOW_TO_PAY}` : result.why]
  })
  const others = run.checks.filter(check => isForUnknownAgent(check) && !check.needs.modes.includes(run.mode))
  const other = run.mode === 'paid' ? 'is in dev mode, or lacks its secret' : 'takes payments'
  return [
    ...countReasons(reasons),
    ...(others.length > 0 ? [{ count: others.length, why: `are for an agent that ${other}` }] : []),
  ]
}

/** The end of the report: the failures and their fixes, the counts, and what was paid. */
export function ending({ findings, skipped, inside, spending }: AgentRun, style: ReportStyle): string {
  const { results, stopped } = findings
  const count = (mark: RuleMark): number => results.filter(result => markOf(result) === mark).length
  const all = [...skipped, ...(inside.length > 0 ? [{ count: inside.length, why: INSIDE }] : [])]
  const parts = [
    count('broken') > 0 ? `\n${formatFailed(results, style)}` : '\n',
    conclusion({ kept: count('kept'), broken: count('broken') }, all, style),
    ...(stopped === undefined ? [] : [`\n  ${style.red(stopReason(stopped))}\n`]),
  ]
  if (spending !== undefined && spending.payments > 0) {
    parts.push(...describeSpending(spending).map(line => `  ${style.dim(line)}\n`))
  }
  return parts.join('')
}

function stopReason({ reason, after }: Stop): string {
  switch (reason) {
    case 'interrupted':
      return 'interrupted'
    case 'gone':
      return `the agent answers no more${after === undefined ? '' : ` since ${after.id}`}: its log may tell why`
    case 'slow':
      return 'the agent left too many questions unanswered; --timeout waits longer'
    case 'no agent':
      return 'what answers is no agent'
  }
}
