import {
  areaOf,
  type Check,
  type CheckResult,
  describeMode,
  type Findings,
  formatArea,
  formatFailed,
  type Spending,
} from '@farebox/conformance/agent'
import { paintFor } from '../terminal/paint.ts'
import { printable } from '../terminal/printable.ts'
import type { World } from '../world.ts'
import type { RawCheckOptions } from './check-options.ts'
import { concludeRun, whyNotAsked } from './conclude-run.ts'
import { warningsOf, type CheckedAgent } from './checked-agent.ts'
import { nextSteps } from './next-steps.ts'
import { createProgressLine } from './progress-line.ts'
import { reportStyle } from './report-style.ts'

/** Tells a person what is found, while it is found. */
export interface RunReport {
  onCheck(check: Check, index: number): void
  onResult(result: CheckResult): void
  end(findings: Findings, spending: Spending | undefined): void
}

/** What is reported, and how. */
export interface ReportOptions extends Pick<RawCheckOptions, 'verbose' | 'quiet'> {
  readonly agent: CheckedAgent
  /** All that will be put, to know when an area is done. */
  readonly checks: readonly Check[]
}

/**
 * The report on a terminal: who is checked and how it takes jobs, an area as soon as it is done, the counts, and
 * what to do next. What the agent wrote is made printable. Begins at once.
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

/** An area's checks are not always put in a row. */
function gatherAreas(checks: readonly Check[]): {
  /** All results of the area, when this was the last. */
  add(result: CheckResult): readonly CheckResult[] | undefined
  /** What there is of areas that never came to their end. */
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

function heading({ out }: World, agent: CheckedAgent): string {
  const { bold, dim, yellow } = paintFor(out)
  const { declaration, url, mode } = agent
  const name =
    declaration === undefined ? 'An agent whose /about is no declaration' : printable(declaration.name)
  const described = describeMode(agent)
  return `${bold(name)}   ${dim(url)}\n${mode === 'paid' ? described : yellow(described)}\n`
}

function warn({ err }: World, agent: CheckedAgent): void {
  for (const { warning, next } of warningsOf(agent)) {
    err.write(`${paintFor(err).yellow('!')} ${warning}\n  ${next}\n\n`)
  }
}
