/**
 * A list in which whatever says the same as something before is the very same object, and which is itself the one before
 * where nothing has changed: so that only what has changed is drawn again.
 */
export function keepSame<T>(items: readonly T[], before: readonly T[]): readonly T[] {
  const known = new Map(before.map(item => [JSON.stringify(item), item]))
  const kept = items.map(item => known.get(JSON.stringify(item)) ?? item)
  return kept.length === before.length && kept.every((item, index) => item === before[index]) ? before : kept
}
