import type { AgentMode } from './agent-mode.ts'
import type { CheckContext } from './context.ts'

/** What the kit may have been told of an agent, beyond what the agent tells everybody. */
export type Knowledge =
  /** It runs the fixture's capabilities. */
  | 'fixture'
  /** Its log can be read. */
  | 'logs'
  /** Its payment gate is a fake one that takes orders. */
  | 'gate'
  /** Its clock can be moved. */
  | 'advance'

/** What must be there for a check to mean anything. */
export interface Needs {
  readonly modes: readonly AgentMode[]
  /**
   * In paid mode: jobs that are charged for when the agent behaves; 0 where only payments that must be
   * refused, by nobody's wallet, are sent. One `shared` job serves all checks that look at a delivered job.
   */
  readonly spends: number | 'shared'
  /** In paid mode: a payer whose payments are good is needed, even where nothing is charged in the end. */
  readonly payer: boolean
  readonly knows: readonly Knowledge[]
  /** A TCP or TLS connection of its own, for what `fetch` will not send. */
  readonly socket: boolean
}

/** One rule of the contract as a question to a running agent. */
export interface Check {
  /** `area/name`, stable: for `only`, for lists of known failures. */
  readonly id: string
  /** Where the rule is written: `D14`, `interface Errors`, `PAY-27`. */
  readonly rules: readonly string[]
  /** What holds, as a sentence. */
  readonly title: string
  /** What the agent's developer should change where it does not hold, as a sentence. */
  readonly fix: string
  readonly needs: Needs
  /**
   * Resolves where the rule holds. Throws a {@link Mismatch} where not, a {@link NotApplicable} where
   * nobody can tell.
   */
  readonly run: (context: CheckContext) => Promise<void>
}

const FREE: Needs = { modes: ['dev', 'paid', 'locked'], spends: 0, payer: false, knows: [], socket: false }

/** Needs that come up again and again; the rest is spelled by spreading one of them. */
export const NEEDS = {
  /** Any agent, nothing spent. */
  nothing: FREE,
  /** An agent that asks for payment; nothing is sent with a payment header that could be good. */
  asksForPayment: { ...FREE, modes: ['paid', 'locked'] },
  /** An agent that looks at payments; those sent are of an empty wallet made up for the run. */
  looksAtPayments: { ...FREE, modes: ['paid'] },
  dev: { ...FREE, modes: ['dev'] },
  locked: { ...FREE, modes: ['locked'] },
  /** A job that runs or would, if its input were good; never charged for. */
  unchargedJob: { ...FREE, modes: ['dev', 'paid'], payer: true },
  /** The one delivered job that several checks look at. */
  deliveredJob: { ...FREE, modes: ['dev', 'paid'], spends: 'shared', payer: true },
  /** The same, where only a payment makes the question arise. */
  paidJob: { ...FREE, modes: ['paid'], spends: 'shared', payer: true },
} as const satisfies { readonly [name: string]: Needs }

/** Needs of a check that relies on the fixture's capabilities; `jobs` are charged for in paid mode. */
export function needsFixture(jobs: number, more: Partial<Needs> = {}): Needs {
  return { ...NEEDS.unchargedJob, spends: jobs, knows: ['fixture'], ...more }
}
