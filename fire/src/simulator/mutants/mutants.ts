import { AGENT_MUTANTS } from './agent-mutants.ts'
import type { Mutant } from './mutant.ts'
import { PAYMENT_MUTANTS } from './payment-mutants.ts'

/**
 * Breaks of our own code, each of a promise the simulator claims to watch over. One that it does not notice
 * says that the promise is not watched, or that something else keeps it too.
 */
export const MUTANTS: readonly Mutant[] = Object.entries({ ...AGENT_MUTANTS, ...PAYMENT_MUTANTS }).map(
  ([name, row]) => ({ ...row, name, edits: 'edits' in row ? row.edits : [row] }),
)
