import { describe, expect, test } from 'vitest'
import { NEEDS, type Check } from './check.ts'
import { formatReport, formatResult, formatSummary } from './format-report.ts'
import type { CheckResult } from './run-conformance.ts'

const check: Check = {
  id: 'payment-required/amount',
  rules: ['D1', 'D2'],
  title: 'maxAmountRequired is the price of /about in atomic units',
  mend: 'Amounts on the wire are atomic units: 0.002 USDC is "2000".',
  needs: NEEDS.nothing,
  run: () => Promise.resolve(),
}
const passed: CheckResult = { check, outcome: 'passed' }
const failed: CheckResult = { check, outcome: 'failed', expected: '"2000"', got: '"0.002"', mend: check.mend }
const unpaid: CheckResult = { check, outcome: 'not applicable', missing: 'payer', why: 'it needs a payer' }
const otherMode: CheckResult = {
  check,
  outcome: 'not applicable',
  missing: 'mode',
  why: 'it is asked in dev mode',
}

describe('the report', () => {
  test('is a line for a check that passed', () => {
    expect(formatResult(passed)).toBe('  ✓ maxAmountRequired is the price of /about in atomic units')
  })

  test('says of a failed check which rule, what was expected, what came and how to mend it', () => {
    const [head, ...lines] = formatResult(failed).split('\n')
    expect(head).toMatch(/^ {2}✗ maxAmountRequired is the price of \/about in atomic units +D1, D2$/)
    expect(lines).toEqual([
      '      expected  "2000"',
      '      got       "0.002"',
      '      mend      Amounts on the wire are atomic units: 0.002 USDC is "2000".',
    ])
  })

  test('counts what a payer would make possible, and leaves out what does not concern the agent', () => {
    expect(formatSummary([passed, passed, failed, unpaid, otherMode])).toBe(
      '  2 passed, 1 failed, 1 need --paid',
    )
    expect(formatSummary([passed, otherMode])).toBe('  1 passed, 0 failed')
    expect(formatReport([otherMode, passed]).split('\n')).toHaveLength(3)
  })

  test('WEB-02 shows what a stranger answered without letting it move the cursor', () => {
    expect(formatResult({ ...failed, got: 'a\u001b[2Kb\u202ec' })).toContain('got       a·[2Kb·c')
  })
})
