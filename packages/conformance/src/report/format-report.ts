import { areaOf } from '../agent/run/list-checks.ts'
import type { CheckResult } from '../agent/run/run-conformance.ts'
import { printable } from '../printable.ts'
import { wrapText } from './wrap-text.ts'

/** The appearance of a report. */
export interface ReportStyle {
  /** Characters in a line. */
  readonly columns: number
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  /** Lists each passed check in its own line, instead of one line for its area. */
  readonly verbose: boolean
}

const asItIs = (text: string): string => text

/** No colours, 80 columns, areas folded. */
export const PLAIN_STYLE: ReportStyle = {
  columns: 80,
  bold: asItIs,
  dim: asItIs,
  red: asItIs,
  green: asItIs,
  verbose: false,
}

/** The names of areas are shorter. */
const AREA_COLUMNS = 18
const MIN_TEXT_COLUMNS = 20

/** For checks that failed in the same way. */
const MAX_NAMED = 12
const MAX_RULES = 6

type Failed = Extract<CheckResult, { outcome: 'failed' }>

/**
 * The checks of one area as people read them: how many passed, and each that failed with its rule, what was
 * expected, what came and how to fix it. Checks that failed in the same way share one explanation. Empty where
 * the area does not concern this agent.
 *
 * @example
 * //   ✗ health            5 passed, 1 failed
 * //
 * //       ✗ GET /health answers name, version 1.0 and status ok
 * //         rule      interface Health response, D33
 * //         expected  status "ok"
 * //         got       "up"
 * //         fix       Answer {"name": <agent name>, "version": "1.0", "status": "ok"}.
 */
export function formatArea(
  area: string,
  results: readonly CheckResult[],
  style: ReportStyle = PLAIN_STYLE,
): string {
  const passed = results.filter(({ outcome }) => outcome === 'passed')
  const failed = results.filter(result => result.outcome === 'failed')
  if (passed.length + failed.length === 0) return ''
  const mark = failed.length > 0 ? style.red('✗') : style.green('✓')
  const counts = [
    ...(passed.length > 0 ? [`${passed.length} passed`] : []),
    ...(failed.length > 0 ? [style.red(`${failed.length} failed`)] : []),
  ]
  const lines = [`  ${mark} ${area.padEnd(AREA_COLUMNS)} ${counts.join(', ')}`]
  if (style.verbose) lines.push(...passed.map(({ check }) => `      ${style.green('✓')} ${check.title}`))
  for (const group of groupFailures(failed)) lines.push('', ...formatFailures(group, style))
  return `${lines.join('\n')}\n${failed.length > 0 ? '\n' : ''}`
}

/** The failures, in the same form, without their area: the content of a short report. */
export function formatFailed(results: readonly CheckResult[], style: ReportStyle = PLAIN_STYLE): string {
  const groups = groupFailures(results.filter(result => result.outcome === 'failed'))
  return groups.map(group => `${formatFailures(group, style).join('\n')}\n\n`).join('')
}

/**
 * The last line: `31 passed, 1 failed, 6 need a payment`. What does not concern this agent is not counted.
 *
 * @param unpaidWords what to say of the checks that nobody paid for
 */
export function formatSummary(
  results: readonly CheckResult[],
  style: ReportStyle = PLAIN_STYLE,
  unpaidWords = 'need a payment',
): string {
  const { passed, failed, unpaid } = countResults(results)
  const parts = [
    style.bold(`${passed} passed`),
    failed > 0 ? style.bold(style.red(`${failed} failed`)) : `${failed} failed`,
    ...(unpaid > 0 ? [`${unpaid} ${unpaidWords}`] : []),
  ]
  return `  ${parts.join(', ')}`
}

/** The whole report: every area, then the summary. */
export function formatReport(results: readonly CheckResult[], style: ReportStyle = PLAIN_STYLE): string {
  const areas = [...new Set(results.map(({ check }) => areaOf(check)))]
  const texts = areas.map(area =>
    formatArea(
      area,
      results.filter(({ check }) => areaOf(check) === area),
      style,
    ),
  )
  return `${texts.join('')}\n${formatSummary(results, style)}\n`
}

/** The counts; `unpaid` are checks that need a payer, or more money. */
export function countResults(results: readonly CheckResult[]): {
  readonly passed: number
  readonly failed: number
  readonly unpaid: number
} {
  const count = (wanted: (result: CheckResult) => boolean): number => results.filter(wanted).length
  return {
    passed: count(({ outcome }) => outcome === 'passed'),
    failed: count(({ outcome }) => outcome === 'failed'),
    unpaid: count(
      result =>
        result.outcome === 'not applicable' && (result.missing === 'payer' || result.missing === 'budget'),
    ),
  }
}

/** Failures that differ only in their title. */
function groupFailures(failed: readonly Failed[]): readonly (readonly Failed[])[] {
  const groups = new Map<string, Failed[]>()
  for (const result of failed) {
    const key = JSON.stringify(result.general ? result.fix : [result.expected, alike(result.got), result.fix])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [result])
    else group.push(result)
  }
  return [...groups.values()]
}

/** Jobs and times differ between answers, although the failure is the same. */
function alike(got: string): string {
  return got.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{10,}/gi, '…')
}

function formatFailures(group: readonly Failed[], style: ReportStyle): readonly string[] {
  const [first] = group
  if (first === undefined) return []
  const { expected, got, fix } = first
  const rules = [...new Set(group.flatMap(({ check }) => check.rules))]
  const named = style.verbose || group.length <= MAX_NAMED + 1 ? group : group.slice(0, MAX_NAMED)
  const unnamed = group.length - named.length
  return [
    ...named.flatMap(({ check }) => hang(`      ${style.red('✗')} `, 8, check.title, style, style.bold)),
    ...(unnamed > 0 ? [`        … and ${unnamed} more like these; --verbose names them`] : []),
    ...labelled('rule', shownRules(rules, style).join(', '), style),
    ...labelled('expected', printable(expected), style),
    ...labelled('got', got.trim() === '' ? 'nothing' : printable(got), style),
    ...labelled('fix', fix, style),
  ]
}

/** Faults and threats have numbers too, which are not shown; the rules themselves come from the interface. */
function shownRules(rules: readonly string[], style: ReportStyle): readonly string[] {
  const written = rules.filter(rule => /^(?:interface|D\d|RFC)/.test(rule))
  return style.verbose || written.length === 0 ? rules : written.slice(0, MAX_RULES)
}

function labelled(label: string, text: string, style: ReportStyle): readonly string[] {
  return hang(`        ${style.dim(label.padEnd(8))}  `, 18, text, style, asItIs)
}

/** A text after a prefix, with further lines aligned to its first letter. */
function hang(
  start: string,
  indent: number,
  text: string,
  style: ReportStyle,
  paint: (text: string) => string,
): readonly string[] {
  const lines = wrapText(text, Math.max(style.columns - indent, MIN_TEXT_COLUMNS))
  return lines.map((line, index) => (index === 0 ? start : ' '.repeat(indent)) + paint(line))
}
