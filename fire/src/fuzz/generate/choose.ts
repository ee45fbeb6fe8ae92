/** The entry of the list that the number picks; the list must not be empty, the number not negative. */
export function choose<T>(pick: number, list: readonly T[]): T {
  // Only an empty list has no such entry.
  return list[pick % list.length] as T
}
