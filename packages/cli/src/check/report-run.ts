import { printable } from '@farebox/conformance/internal/printable'
import {
  areaOf,
  type Check,
  type CheckResult,
  countResults,
  describeMode,
  describeSpending,
  type Findings,
  formatArea,
  formatFailed,
  formatSummary,
  type ReportStyle,
  type Spending,
  type Stop,
} from '@farebox/conformance/agent'
import { asTyped, paintFor, wrap } from '../terminal/text.ts'
import type { Screen, World } from '../world.ts'
import type { RawCheckOptions } from './check-options.ts'
import { type AgentUnderCheck, warningsOf } from './checked-agent.ts'
import { createProgressLine } from '../terminal/progress.ts'
import { formatUsdc } from '@farebox/protocol/money/usdc'

export interface RunReport {
  onCheck(check: Check, index: number): void
  onResult(result: CheckResult): void
  end(findings: Findings, spending: Spending | undefined): void
}

export interface ReportOptions extends Pick<RawCheckOptions, 'verbose' | 'quiet'> {
  readonly agent: AgentUnderCheck
  readonly checks: readonly Check[]
}

/**
 * The report on a terminal: the checked agent and how it accepts jobs, each area as soon as it is complete, the counts, and
 * what to do next. Text from the agent is made printable. The report starts at once.
 */
export function createRunReport(world: World, options: ReportOptions): RunReport {
  const { agent, checks } = options
  const isQuiet = options.quiet === true
  const style = reportStyle(world.out, { verbose: options.verbose === true })
  const line = createProgressLine(world)
  const areas = gatherAreas(checks)
  let isBlankAbove = true
  const write = (text: string): void => {
    if (text === '') return
    line.clear()
    world.out.write(text)
    isBlankAbove = text.endsWith('\n\n')
  }
  const writeArea = (area: string, results: readonly CheckResult[]): void =>
    write(isQuiet ? formatFailed(results, style) : formatArea(area, results, style))

  if (!isQuiet) write(`${heading(world, agent)}\n`)
  warn(world, agent)
  return {
    onCheck(check, index) {
      line.show(`${index + 1} of ${checks.length}  ${areaOf(check)}: ${check.title}`)
    },
    onResult(result) {
      const done = areas.add(result)
      if (done !== undefined) writeArea(areaOf(result.check), done)
    },
    end(findings, spending) {
      for (const [area, results] of areas.unfinished()) writeArea(area, results)
      if (!isBlankAbove) write('\n')
      const lines = [
        ...concludeRun(findings, spending, checks.length, style),
        ...(isQuiet ? [] : whyNotAsked(findings.results, style)),
      ]
      write(`${lines.join('\n')}\n${isQuiet ? '' : nextSteps(world, agent, findings)}`)
      line.clear()
    },
  }
}

/** Collects results by area; an area's checks are not always run consecutively. */
function gatherAreas(checks: readonly Check[]): {
  add(result: CheckResult): readonly CheckResult[] | undefined
  /** The results of areas that were not completed. */
  unfinished(): Iterable<readonly [area: string, results: readonly CheckResult[]]>
} {
  const sizes = new Map<string, number>()
  for (const check of checks) sizes.set(areaOf(check), (sizes.get(areaOf(check)) ?? 0) + 1)
  const gathered = new Map<string, CheckResult[]>()
  return {
    add(result) {
      const area = areaOf(result.check)
      const results = [...(gathered.get(area) ?? []), result]
      gathered.set(area, results)
      if (results.length < (sizes.get(area) ?? 0)) return undefined
      gathered.delete(area)
      return results
    },
    unfinished: () => gathered,
  }
}

function heading({ out }: World, agent: AgentUnderCheck): string {
  const { bold, dim, yellow } = paintFor(out)
  const { declaration, url, mode } = agent
  const name =
    declaration === undefined ? 'An agent whose /about is no declaration' : printable(declaration.name)
  const described = describeMode(agent)
  return `${bold(name)}   ${dim(url)}\n${mode === 'paid' ? described : yellow(described)}\n`
}

function warn({ err }: World, agent: AgentUnderCheck): void {
  for (const { warning, next } of warningsOf(agent)) {
    err.write(`${paintFor(err).yellow('!')} ${warning}\n  ${next}\n\n`)
  }
}

/** The column in which the reasons for skipped checks begin. */
const WHY_COLUMN = 18

/**
 * Formats the end of a report: the counts, why some checks were not run, and what was paid.
 *
 * @param asked the number of checks to run
 */
function concludeRun(
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

/** Formats the reasons why applicable checks could not be run, with their counts. */
function whyNotAsked(results: readonly CheckResult[], style: ReportStyle): readonly string[] {
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

/** The suggested command names no more areas than this. */
const MAX_AREAS = 4

/** Formats what to do after a run; empty when there is nothing to do. */
function nextSteps(world: World, agent: AgentUnderCheck, findings: Findings): string {
  const { dim } = paintFor(world.out)
  const steps = [...again(agent, findings), ...pay(agent, findings)]
  if (steps.length === 0) return ''
  return `\n${steps.map(([what, command]) => `  ${dim(what.padEnd(16))}${asTyped(world, command)}\n`).join('')}`
}

type Step = readonly [what: string, command: string]

function again({ url }: AgentUnderCheck, { results }: Findings): readonly Step[] {
  const failed = results.filter(({ outcome }) => outcome === 'failed')
  const areas = [...new Set(failed.map(({ check }) => areaOf(check)))]
  if (areas.length === 0) return []
  const only = areas.length > MAX_AREAS ? '' : ` --only ${areas.join(',')}`
  return [['once fixed', `farebox check ${url}${only}`]]
}

function pay({ url, terms }: AgentUnderCheck, { results }: Findings): readonly Step[] {
  if (terms === undefined || countResults(results).unpaid === 0) return []
  const price = formatUsdc(BigInt(terms.requirement.amount))
  return [['the paid path', `farebox check ${url} --paid --max-price ${price}`]]
}

/** Wider lines are hard to read. */
const MAX_COLUMNS = 110
const MIN_COLUMNS = 40

function reportStyle(screen: Screen, options: { readonly verbose: boolean }): ReportStyle {
  const { bold, dim, red, green } = paintFor(screen)
  const columns = Math.min(Math.max(screen.columns, MIN_COLUMNS), MAX_COLUMNS)
  return { columns, bold, dim, red, green, verbose: options.verbose }
}
