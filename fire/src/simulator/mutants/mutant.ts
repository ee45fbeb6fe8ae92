import type { Edit } from '../../edits/edit.ts'

/** A deliberate break of our own code: what the sources say, and what is put there instead. */
export interface Mutant extends MutantWords {
  readonly name: string
  readonly edits: readonly Edit[]
}

interface MutantWords {
  /** What it is that no longer holds, for a person. */
  readonly breaks: string
  /** So few histories notice it that the tests only fit it to the sources: it is hunted in the full run. */
  readonly isRare?: boolean
}

/** Mutants by their names, each with its one edit or with several. */
export type MutantTable = {
  readonly [name: string]: MutantWords & (Edit | { readonly edits: readonly Edit[] })
}
