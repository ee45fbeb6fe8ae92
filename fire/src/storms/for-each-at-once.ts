/** Does something for each item, for so many at the same time. */
export async function forEachAtOnce<T>(
  workers: number,
  items: readonly T[],
  act: (item: T) => Promise<void>,
): Promise<void> {
  // All workers take from one iterator.
  const waiting = items.values()
  const work = async (): Promise<void> => {
    for (const item of waiting) await act(item)
  }
  await Promise.all(Array.from({ length: workers }, work))
}
