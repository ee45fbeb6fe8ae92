import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { AgentMode } from '../agent/check/agent-mode.ts'
import type { Check } from '../agent/check/check.ts'
import { areaOf } from '../agent/run/list-checks.ts'
import type { Findings } from '../agent/run/put-checks.ts'
import type { CheckResult } from '../agent/run/run-conformance.ts'
import type { Spending } from '../agent/run/spending.ts'
import type { Skipped } from './rule-line.ts'

/** The results of a run against an agent. */
export interface AgentRun {
  readonly url: string
  /** The name in `/about`; null when that is not a declaration. */
  readonly name: string | null
  readonly mode: AgentMode
  readonly findings: Findings
  /** Why rules were skipped, without those of `inside`. */
  readonly skipped: readonly Skipped[]
  /** Checks that need inside knowledge of the agent. */
  readonly inside: readonly Check[]
  /** `undefined` when there was no payer. */
  readonly spending: Spending | undefined
}

/** The run as `--json` prints it. Amounts are decimal USDC. */
export function describeAgentRun(run: AgentRun): object {
  const { url, name, mode, findings, skipped, inside, spending } = run
  const { results, stopped } = findings
  const rules = [
    ...results.map(describeResult),
    ...inside.map(check => ({
      ...describeCheck(check),
      outcome: 'skipped',
      why: `it needs to know the agent: ${check.needs.knows.join(', ')}`,
    })),
  ]
  const count = (wanted: CheckResult['outcome']): number =>
    results.filter(({ outcome }) => outcome === wanted).length
  return {
    ok: count('failed') === 0 && stopped === undefined && count('passed') > 0,
    agent: { url, name },
    mode,
    stopped: stopped === undefined ? null : { reason: stopped.reason, after: stopped.after?.id ?? null },
    counts: {
      kept: count('passed'),
      broken: count('failed'),
      skipped: skipped.reduce((sum, one) => sum + one.count, inside.length),
    },
    skipped,
    spent:
      spending === undefined
        ? null
        : {
            payments: spending.payments,
            atMost: formatUsdc(spending.signedAtomic),
            transactions: spending.transactions,
          },
    rules,
  }
}

function describeCheck(check: Check): object {
  const { id, rules, title } = check
  return { id, area: areaOf(check), rules, title }
}

function describeResult(result: CheckResult): object {
  const start = describeCheck(result.check)
  switch (result.outcome) {
    case 'passed':
      return { ...start, outcome: 'kept' }
    case 'failed': {
      const { expected, got, fix } = result
      return { ...start, outcome: 'broken', expected, got, fix }
    }
    case 'not applicable':
      return { ...start, outcome: 'skipped', why: result.why }
  }
}
