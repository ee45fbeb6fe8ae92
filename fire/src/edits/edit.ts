import { declarationsOf } from './declarations.ts'

/** One place of our own sources, and what is put there instead. It is found by name, wherever it is moved. */
export interface Edit {
  /**
   * The package, and the function, constant or class at the top level of one of its modules: `farebox/settlePayment`.
   * Or a function of its migrations, where the last definition counts: `facilitator/migrations/hold`.
   */
  readonly in: string
  /** Must be there exactly once. */
  readonly find: string
  readonly replace: string
}

/** Thrown where an edit no longer fits the sources: it must be written anew, or it would test nothing. */
export class EditDoesNotFit extends Error {
  override readonly name = 'EditDoesNotFit'
}

/** The sources that edits are made in. */
export interface Sources {
  /** The files that declare what an {@link Edit} names, from the root of the repository; none where nothing does. */
  declaring(name: string): readonly string[]
  read(file: string): Promise<string>
}

/**
 * The files that change, with their new text. Edits are made one after the other.
 *
 * Rejects with {@link EditDoesNotFit}, which names `of`, where an edit fits nowhere or in several places.
 */
export async function applyEdits(
  of: string,
  edits: readonly Edit[],
  sources: Sources,
): Promise<ReadonlyMap<string, string>> {
  const changed = new Map<string, string>()
  for (const { in: name, find, replace } of edits) {
    const fitting: (readonly [file: string, after: string])[] = []
    for (const file of sources.declaring(name)) {
      const source = changed.get(file) ?? (await sources.read(file))
      for (const { name: declared, from, to } of declarationsOf(file, source)) {
        const text = source.slice(from, to)
        if (declared === name.slice(name.lastIndexOf('/') + 1) && text.split(find).length === 2)
          fitting.push([file, source.slice(0, from) + text.replace(find, () => replace) + source.slice(to)])
      }
    }
    const [fit] = fitting
    if (fit === undefined || fitting.length > 1)
      throw new EditDoesNotFit(
        `"${of}": ${name} has its text ${fitting.length} times instead of once: ${find}`,
      )
    changed.set(...fit)
  }
  return changed
}
