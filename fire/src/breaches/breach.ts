import type { Edit } from '../edits/edit.ts'
import type { PromiseName } from './promises.ts'

/** A deliberate breach of a promise in our own code, and the ordinary tests that must not let it pass. */
export interface Breach {
  /** `nonce-claim-removed` */
  readonly name: string
  /** The promises it breaks; at least one. */
  readonly promises: readonly PromiseName[]
  /** What is broken, for a person. */
  readonly breaks: string
  readonly edits: readonly Edit[]
  /** Tried in this order until one turns red. */
  readonly tests: readonly BreachTest[]
}

/** A file of the ordinary suites. */
export interface BreachTest {
  /** Its package and its name: `farebox/pipeline.test.ts`. */
  readonly file: string
  /** Runs the tests alone whose names match: for files that take long. A regular expression. */
  readonly only?: string
}
