import type { AgentMode } from './agent-mode.ts'
import type { CheckContext } from './context.ts'

/** Facts about an agent that its owner may give to the kit, beyond what the agent publishes. */
export type Knowledge =
  /** The agent serves the fixture's capabilities. */
  | 'fixture'
  /** The agent's log can be read. */
  | 'logs'
  /** The agent's payment gate is a fake one whose results the kit controls. */
  | 'gate'
  /** The agent's clock can be moved. */
  | 'advance'

/** The conditions under which a check can be run. */
export interface Needs {
  readonly modes: readonly AgentMode[]
  /**
   * In paid mode: the number of jobs that a correct agent charges for; 0 for a check that sends only payments which must be
   * refused, from no real wallet. All checks of a delivered job use the same `shared` job.
   */
  readonly spends: number | 'shared'
  /** In paid mode: whether a payer with valid payments is needed, even when nothing is charged in the end. */
  readonly payer: boolean
  readonly knows: readonly Knowledge[]
  /** Whether a separate TCP or TLS connection is needed, for requests that `fetch` does not send. */
  readonly socket: boolean
}

/** One rule of the contract as a check of a running agent. */
export interface Check {
  /** `area/name`, stable: for `only`, and for lists of known failures. */
  readonly id: string
  /** The sources of the rule: `D14`, `interface Errors`, `PAY-27`. */
  readonly rules: readonly string[]
  /** The rule as a sentence. */
  readonly title: string
  /** What the agent's developer should change when the rule is broken, as a sentence. */
  readonly fix: string
  readonly needs: Needs
  /**
   * Resolves when the agent follows the rule. Throws a {@link Mismatch} when it does not, and a {@link NotApplicable} when
   * this cannot be determined.
   */
  readonly run: (context: CheckContext) => Promise<void>
}

const FREE: Needs = { modes: ['dev', 'paid', 'locked'], spends: 0, payer: false, knows: [], socket: false }

/** Frequent combinations of needs; other checks spread one of them. */
export const NEEDS = {
  /** Works with every agent, without a payment. */
  nothing: FREE,
  /** An agent that asks for payment; no request has a payment header that could be valid. */
  asksForPayment: { ...FREE, modes: ['paid', 'locked'] },
  /** An agent that checks payments; the payments are from an empty wallet created for the run. */
  looksAtPayments: { ...FREE, modes: ['paid'] },
  dev: { ...FREE, modes: ['dev'] },
  locked: { ...FREE, modes: ['locked'] },
  /** A job that runs, or would run if its input were valid, and is never charged for. */
  unchargedJob: { ...FREE, modes: ['dev', 'paid'], payer: true },
  /** The delivered job that several checks share. */
  deliveredJob: { ...FREE, modes: ['dev', 'paid'], spends: 'shared', payer: true },
  /** The same, for rules that apply only to paid jobs. */
  paidJob: { ...FREE, modes: ['paid'], spends: 'shared', payer: true },
} as const satisfies { readonly [name: string]: Needs }

/** The needs of a check that uses the fixture's capabilities; in paid mode, `jobs` jobs are charged for. */
export function needsFixture(jobs: number, more: Partial<Needs> = {}): Needs {
  return { ...NEEDS.unchargedJob, spends: jobs, knows: ['fixture'], ...more }
}
