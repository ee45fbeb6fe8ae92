import type { Played } from '../facilitator/run/play-matrix.ts'
import { RULES, type RuleCase } from '../facilitator/trial/rule-case.ts'
import type { Trial } from '../facilitator/trial/trial.ts'
import type { Skipped } from './rule-line.ts'

/** The results of the cases against a facilitator. */
export interface FacilitatorRun {
  readonly url: string
  readonly trial: Trial
  readonly played: readonly Played[]
  readonly skipped: readonly Skipped[]
  /** Why the run ended early. */
  readonly stopped: 'interrupted' | 'gone' | undefined
  /** Why a case was skipped. */
  readonly why: (trial: Trial, ruleCase: RuleCase) => string
}

/** The run as `--json` prints it. */
export function describeFacilitatorRun(run: FacilitatorRun): object {
  const { url, trial, played, skipped, stopped, why } = run
  const broken = played.filter(({ outcome }) => outcome?.wrong !== undefined).length
  const kept = played.filter(({ outcome }) => outcome !== undefined && outcome.wrong === undefined).length
  return {
    ok: broken === 0 && kept > 0 && stopped === undefined,
    facilitator: { url, network: trial.network.id, accounts: trial.subject.accounts },
    stopped: stopped === undefined ? null : { reason: stopped, after: played.at(-1)?.ruleCase.id ?? null },
    counts: { kept, broken, skipped: skipped.reduce((sum, { count }) => sum + count, 0) },
    skipped,
    rules: played.map(({ ruleCase, outcome }) => ({
      id: ruleCase.id,
      rule: ruleCase.rule,
      about: RULES[ruleCase.rule],
      sent: ruleCase.sent,
      expected: ruleCase.expected,
      ...(outcome === undefined
        ? { outcome: 'skipped', why: why(trial, ruleCase) }
        : outcome.wrong === undefined
          ? { outcome: 'kept', did: outcome.did }
          : { outcome: 'broken', did: outcome.did, got: outcome.wrong }),
    })),
  }
}
