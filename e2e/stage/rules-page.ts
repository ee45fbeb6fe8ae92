import { RULES, type Played, type Rule } from '@farebox/conformance/facilitator'

/**
 * A facilitator whose margin is between these checks the time at `/verify` and again at `/settle`: whether it keeps the
 * rule depends on when a second ends.
 */
const BY_THE_SECOND = /^[2-9] s of validity left$/

/** The results of one facilitator. */
export interface Column {
  readonly name: string
  readonly played: readonly Played[]
}

/**
 * `docs/facilitator-rules.md`: every case, and the result of each facilitator. The first one is ours, the second the
 * reference.
 */
export function rulesPage(columns: readonly Column[]): string {
  return [
    '# Facilitator rules',
    '',
    '<!-- Written by `npm test -- e2e/facilitator-rules -u`, which compares it otherwise; do not edit. -->',
    '',
    'What a facilitator must do with a payment, as cases that can be sent to any facilitator. Each case is judged twice:',
    'by what `/verify` and `/settle` answer, and by what the chain says afterwards: the `Transfer` events of the payer,',
    'the state of the nonce, and how many transactions the facilitator’s accounts have sent. A facilitator that says one',
    'thing while the chain says another has failed the case, whichever of the two was better for the caller.',
    '',
    `Played against a local chain: ${columns.map(({ name }) => `\`${name}\``).join(' and ')}.`,
    '`x402 reference` is the x402 project’s own facilitator library, `@x402/core` and `@x402/evm` 2.27.0, unmodified,',
    'behind a few lines of HTTP. It is meant to be put behind a service: cases of secrets, holds and bodies do not',
    'apply to it (–), and what it leaves to the service around it on purpose counts here as not kept (✗). Its margin',
    'of time is checked at `/verify` and again at `/settle`: with a few seconds left, a case can end either way (~), and',
    'is not counted.',
    '',
    'For a facilitator of your own:',
    '',
    '```',
    'npx @farebox/conformance facilitator http://127.0.0.1:4010 --rpc-url http://127.0.0.1:8545 --secret-file ./secret',
    '```',
    '',
    '```',
    scoreTable(columns),
    '```',
    ...rulesOf(columns).flatMap(rule => ruleSection(columns, rule)),
    '',
  ].join('\n')
}

/** The cases in which a facilitator broke a rule, a line each. */
export function brokenCases({ played }: Column): readonly string[] {
  return played.flatMap(({ ruleCase, outcome }) =>
    outcome?.wrong === undefined ? [] : [`${ruleCase.id}  ${ruleCase.sent}: ${outcome.wrong}`],
  )
}

/** A line for each rule: the number of cases, and the number that each facilitator passed. */
function scoreTable(columns: readonly Column[]): string {
  const [ours] = columns
  const header = ['rule', 'cases', ...columns.map(({ name }) => name)]
  const rows = rulesOf(columns).map(rule => [
    rule,
    String(ofRule(ours, rule).length),
    ...columns.map(column => score(counted(column, ours).filter(({ ruleCase }) => ruleCase.rule === rule))),
  ])
  const total = [
    'all',
    String(ours?.played.length ?? 0),
    ...columns.map(column => score(counted(column, ours))),
  ]
  const lines = [header, ...rows, total]
  const widths = header.map((_, index) => Math.max(...lines.map(line => (line[index] ?? '').length)))
  return lines
    .map(line =>
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n')
}

function ruleSection(columns: readonly Column[], rule: Rule): readonly string[] {
  const cells = (line: readonly string[]): string =>
    `| ${line.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
  const [first] = columns
  return [
    '',
    `## ${rule}: ${RULES[rule]}`,
    '',
    cells(['case', 'what is sent', 'expected', ...columns.map(({ name }) => name)]),
    cells(['---', '---', '---', ...columns.map(() => '---')]),
    ...ofRule(first, rule).map(({ ruleCase }) =>
      cells([
        ruleCase.id,
        ruleCase.sent,
        ruleCase.expected,
        ...columns.map(column => verdict(column, ruleCase.id, first)),
      ]),
    ),
  ]
}

/** Without the texts: gas, hashes and the order in a race differ from run to run. */
function verdict(column: Column, id: string, ours: Column | undefined): string {
  const played = column.played.find(one => one.ruleCase.id === id)
  if (played?.outcome === undefined) return '–'
  if (column !== ours && BY_THE_SECOND.test(played.ruleCase.sent)) return '~'
  return played.outcome.wrong === undefined ? '✓' : '✗'
}

function score(played: readonly Played[]): string {
  const applied = played.filter(({ outcome }) => outcome !== undefined)
  if (applied.length === 0) return '–'
  const kept = applied.filter(({ outcome }) => outcome?.wrong === undefined).length
  return `${kept} of ${applied.length}`
}

/** The cases whose outcome does not depend on when a second ends. */
function counted(column: Column, ours: Column | undefined): readonly Played[] {
  return column.played.filter(({ ruleCase }) => column === ours || !BY_THE_SECOND.test(ruleCase.sent))
}

function ofRule(column: Column | undefined, rule: Rule): readonly Played[] {
  return column?.played.filter(({ ruleCase }) => ruleCase.rule === rule) ?? []
}

function rulesOf(columns: readonly Column[]): readonly Rule[] {
  const played = new Set(columns.flatMap(column => column.played.map(({ ruleCase }) => ruleCase.rule)))
  // Object.keys loses the key type of the table.
  return (Object.keys(RULES) as Rule[]).filter(rule => played.has(rule))
}
