import { formatUsdc } from '@farebox/protocol/money/usdc'
import {
  type AgentMode,
  areaOf,
  type CheckResult,
  countResults,
  type Findings,
  type Spending,
  type Stop,
} from '@farebox/conformance/agent'
import { type AgentUnderCheck, type Warning, warningsOf } from './checked-agent.ts'

/** The output of `farebox check --json`. */
export interface CheckDocument {
  /** Whether every check that applies to this agent was run and none failed. */
  readonly ok: boolean
  readonly agent: { readonly url: string; readonly name: string | null }
  readonly mode: AgentMode
  readonly warnings: readonly Warning[]
  /** Null when the run was complete; `after` is the id of the last check that got a response. */
  readonly stopped: { readonly reason: Stop['reason']; readonly after: string | null } | null
  readonly counts: {
    readonly passed: number
    readonly failed: number
    /** The number of checks that run only with `--paid`, or with a larger budget. */
    readonly needPaid: number
    /** The number of checks that apply to this agent but that its responses made impossible. */
    readonly notAsked: number
  }
  /** Amounts are decimal USDC; null when nothing could be paid. */
  readonly spent: {
    readonly payments: number
    readonly atMost: string
    /** The wallet in `/about`, the only recipient of signed payments; null when no payment was signed. */
    readonly to: string | null
    /** Unix seconds until which a signed and uncharged payment can still be charged; null when no payment was signed. */
    readonly goodUntil: number | null
    readonly transactions: readonly string[]
  } | null
  readonly results: readonly ResultDocument[]
}

interface ResultDocument {
  readonly id: string
  readonly area: string
  readonly rules: readonly string[]
  readonly title: string
  readonly outcome: 'passed' | 'failed' | 'need paid' | 'not asked'
  readonly expected?: string
  readonly got?: string
  readonly fix?: string
  readonly why?: string
}

export function checkDocument(
  agent: AgentUnderCheck,
  { results, stopped }: Findings,
  spending: Spending | undefined,
): CheckDocument {
  const { passed, failed, unpaid } = countResults(results)
  const { url, mode, declaration } = agent
  const documents = results.filter(concernsAgent).map(resultDocument)
  return {
    ok: failed === 0 && stopped === undefined,
    agent: { url, name: declaration?.name ?? null },
    mode,
    warnings: warningsOf(agent),
    stopped: stopped === undefined ? null : { reason: stopped.reason, after: stopped.after?.id ?? null },
    counts: {
      passed,
      failed,
      needPaid: unpaid,
      notAsked: documents.filter(({ outcome }) => outcome === 'not asked').length,
    },
    spent:
      spending === undefined
        ? null
        : {
            payments: spending.payments,
            atMost: formatUsdc(spending.signedAtomic),
            to: spending.payments > 0 ? (declaration?.wallet ?? null) : null,
            goodUntil: spending.goodUntilSeconds ?? null,
            transactions: spending.transactions,
          },
    results: documents,
  }
}

function concernsAgent(result: CheckResult): boolean {
  return result.outcome !== 'not applicable' || !['mode', 'knowledge', 'socket'].includes(result.missing)
}

function resultDocument(result: CheckResult): ResultDocument {
  const { id, rules, title } = result.check
  const start = { id, area: areaOf(result.check), rules, title }
  switch (result.outcome) {
    case 'passed':
      return { ...start, outcome: 'passed' }
    case 'failed':
      return {
        ...start,
        outcome: 'failed',
        expected: result.expected,
        got: result.got,
        fix: result.fix,
      }
    case 'not applicable': {
      const isUnpaid = result.missing === 'payer' || result.missing === 'budget'
      return { ...start, outcome: isUnpaid ? 'need paid' : 'not asked', why: result.why }
    }
  }
}
