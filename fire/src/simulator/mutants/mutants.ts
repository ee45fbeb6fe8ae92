import { FACILITATOR_MUTANTS } from './facilitator-mutants.ts'
import { HOLDING_MUTANTS } from './holding-mutants.ts'
import { LATE_MUTANTS } from './late-mutants.ts'
import type { Mutant } from './mutant.ts'
import { PIPELINE_MUTANTS } from './pipeline-mutants.ts'
import { PROOF_MUTANTS } from './proof-mutants.ts'
import { SPEND_MUTANTS } from './spend-mutants.ts'
import { TRUST_MUTANTS } from './trust-mutants.ts'

/**
 * Breaks of our own code, each of a promise the simulator claims to watch over. One that it does not notice
 * says that the promise is not watched, or that something else keeps it too.
 */
export const MUTANTS: readonly Mutant[] = [
  ...HOLDING_MUTANTS,
  ...PIPELINE_MUTANTS,
  ...FACILITATOR_MUTANTS,
  ...PROOF_MUTANTS,
  ...LATE_MUTANTS,
  ...TRUST_MUTANTS,
  ...SPEND_MUTANTS,
]
