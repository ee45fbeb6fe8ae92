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

/** What `farebox check --json` answers. */
export interface CheckDocument {
  /** Every check was put that concerns this agent, and none failed. */
  readonly ok: boolean
  readonly agent: { readonly url: string; readonly name: string | null }
  readonly mode: AgentMode
  readonly warnings: readonly Warning[]
  /** Null where the run came to its end; `after` is the id of the last check that got an answer. */
  readonly stopped: { readonly reason: Stop['reason']; readonly after: string | null } | null
  readonly counts: {
    readonly passed: number
    readonly failed: number
    /** Put only with `--paid`, or with more of it. */
    readonly needPaid: number
    /** They concern this agent, and its answers left no way to ask. */
    readonly notAsked: number
  }
  /** Amounts are decimal USDC; null where nothing could be paid. */
  readonly spent: {
    readonly payments: number
    readonly atMost: string
    /** The wallet of `/about`, to which alone payments are signed; null where none was. */
    readonly to: string | null
    /** Unix seconds until which a payment that was signed and not charged still can be; null where none was. */
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
