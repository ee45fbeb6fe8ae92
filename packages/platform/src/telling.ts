/** Leads news within a process to those that want to hear them. */
export interface Telling<News> {
  /** Hears of all that is told from now on, until what this returns is called. */
  listen(hear: (news: News) => void): () => void
  /** What is told while nobody listens is lost: it must be found in the database as well. */
  tell(news: News): void
}

/**
 * Makes one that nobody listens to yet.
 *
 * @example
 * ```ts
 * import { createTelling } from '@farebox/platform/telling'
 *
 * const telling = createTelling<string>()
 * const stop = telling.listen(news => console.log(news))
 * telling.tell('delivered')
 * stop()
 * ```
 */
export function createTelling<News>(): Telling<News> {
  const listeners = new Set<(news: News) => void>()
  return {
    listen(hear) {
      // Two that are the same function are two.
      const listener = (news: News): void => hear(news)
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    tell(news) {
      for (const hear of listeners) hear(news)
    },
  }
}
