import { declarationsOf } from './declarations.ts'
import type { Sources } from './sources.ts'

/** One place in our own sources, and its replacement. It is found by name, even after it has moved. */
export interface Edit {
  /**
   * The package, and the function, constant or class at the top level of one of its modules: `farebox/settlePayment`.
   * Or a function of its migrations, where the last definition counts: `facilitator/migrations/hold`.
   */
  readonly in: string
  /** Must occur exactly once. */
  readonly find: string
  readonly replace: string
}

/** Thrown when an edit no longer fits the sources: it must be rewritten, or it would test nothing. */
export class EditDoesNotFit extends Error {
  override readonly name = 'EditDoesNotFit'
}

/**
 * The changed files, with their new text. Edits are made one after the other.
 *
 * @throws EditDoesNotFit which names `of`, if an edit fits nowhere or in several places
 */
export function applyEdits(
  of: string,
  edits: readonly Edit[],
  { declaring, texts }: Sources,
): ReadonlyMap<string, string> {
  const changed = new Map<string, string>()
  for (const { in: name, find, replace } of edits) {
    const last = name.slice(name.lastIndexOf('/') + 1)
    const fitting = [...(declaring.get(name) ?? [])].flatMap(file => {
      const source = changed.get(file) ?? texts.get(file) ?? ''
      return declarationsOf(file, source).flatMap(({ name: declared, from, to }) => {
        const text = source.slice(from, to)
        if (declared !== last || text.split(find).length !== 2) return []
        return [{ file, after: source.slice(0, from) + text.replace(find, () => replace) + source.slice(to) }]
      })
    })
    const [fit] = fitting
    if (fit === undefined || fitting.length > 1)
      throw new EditDoesNotFit(
        `"${of}": ${name} has its text ${fitting.length} times instead of once: ${find}`,
      )
    changed.set(fit.file, fit.after)
  }
  return changed
}
