import { describe, expect, test } from 'vitest'
import { NEEDS, type Check } from '../agent/check/check.ts'
import { formatArea, formatFailed, formatReport, formatSummary, PLAIN_STYLE } from './format-report.ts'
import type { CheckResult } from '../agent/run/run-conformance.ts'

const check: Check = {
  id: 'payment-required/amount',
  rules: ['D1', 'D2'],
  title: 'maxAmountRequired is the price of /about in atomic units',
  fix: 'Amounts on the wire are atomic units: 0.002 USDC is "2000".',
  needs: NEEDS.nothing,
  run: () => Promise.resolve(),
}
const passed: CheckResult = { check, outcome: 'passed' }
const failed: CheckResult = {
  check,
  outcome: 'failed',
  expected: '"2000"',
  got: '"0.002"',
  silent: false,
  general: false,
  fix: check.fix,
}
const unpaid: CheckResult = { check, outcome: 'not applicable', missing: 'payer', why: 'it needs a payer' }
const otherMode: CheckResult = {
  check,
  outcome: 'not applicable',
  missing: 'mode',
  why: 'it is asked in dev mode',
}

describe('the report', () => {
  test('has one line for an area that passed, and one for each of its checks on request', () => {
    expect(formatArea('payment-required', [passed, passed])).toBe('  ✓ payment-required   2 passed\n')
    expect(formatArea('payment-required', [passed], { ...PLAIN_STYLE, verbose: true })).toBe(
      '  ✓ payment-required   1 passed\n      ✓ maxAmountRequired is the price of /about in atomic units\n',
    )
  })

  test('shows for a failed check the rule, the expected and the actual response, and the fix', () => {
    expect(formatArea('payment-required', [passed, failed])).toBe(
      `  ✗ payment-required   1 passed, 1 failed

      ✗ maxAmountRequired is the price of /about in atomic units
        rule      D1, D2
        expected  "2000"
        got       "0.002"
        fix       Amounts on the wire are atomic units: 0.002 USDC is "2000".

`,
    )
  })

  test('explains equal failures once and names each check', () => {
    const other = { ...failed, check: { ...check, title: 'another' } }
    const lines = formatFailed([failed, { ...failed, got: '"x"' }, other]).split('\n')
    expect(lines.filter(line => line.includes('✗'))).toEqual([
      '      ✗ maxAmountRequired is the price of /about in atomic units',
      '      ✗ another',
      '      ✗ maxAmountRequired is the price of /about in atomic units',
    ])
    expect(lines.filter(line => line.includes('fix'))).toHaveLength(2)
  })

  test('stays within the width of the terminal and indents further lines', () => {
    const long = { ...failed, got: `${'word '.repeat(12)}${'x'.repeat(60)}` }
    const lines = formatFailed([long], { ...PLAIN_STYLE, columns: 50 }).split('\n')
    expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(50)
    expect(lines.filter(line => line.includes('word')).map(line => line.indexOf('word'))).toEqual([18, 18])
  })

  test('counts the checks that a payer would enable, and omits those that do not apply to the agent', () => {
    expect(formatSummary([passed, passed, failed, unpaid, otherMode])).toBe(
      '  2 passed, 1 failed, 1 need a payment',
    )
    expect(formatSummary([passed, otherMode])).toBe('  1 passed, 0 failed')
    expect(formatReport([otherMode, passed])).toBe(
      '  ✓ payment-required   1 passed\n\n  1 passed, 0 failed\n',
    )
    expect(formatArea('payment-required', [otherMode])).toBe('')
  })

  test('WEB-02 shows a response of the server without letting it move the cursor', () => {
    expect(formatFailed([{ ...failed, got: 'a\u001b[2Kb\u202ec' }])).toContain('got       a·[2Kb·c')
  })
})
