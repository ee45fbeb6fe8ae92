/** A deliberate break of our own code: what the sources say, and what is put there instead. */
export interface Mutant {
  readonly name: string
  /** What it is that no longer holds, for a person. */
  readonly breaks: string
  /** So few histories notice it that the tests only fit it to the sources: it is hunted in the full run. */
  readonly isRare?: boolean
  readonly edits: readonly MutantEdit[]
}

/** One place. */
export interface MutantEdit {
  /** From the root of the repository. */
  readonly file: string
  /** Must be there exactly once. */
  readonly find: string
  readonly replace: string
}

/** Thrown where a mutant no longer fits the sources: it must be written anew, or it would test nothing. */
export class MutantDoesNotFit extends Error {
  override readonly name = 'MutantDoesNotFit'
}

/** The source with the edit in it. Throws {@link MutantDoesNotFit}. */
export function applyEdit(mutant: string, { file, find, replace }: MutantEdit, source: string): string {
  const found = source.split(find).length - 1
  if (found !== 1)
    throw new MutantDoesNotFit(
      `mutant "${mutant}": ${file} has its text ${found} times instead of once: ${find}`,
    )
  return source.replace(find, () => replace)
}
