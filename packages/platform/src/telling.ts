/** Leads news within a process to the one that wants to hear them. */
export interface Telling<News> {
  /** Who hears from now on; undefined: nobody. */
  serve(hear: ((news: News) => void) | undefined): void
  /** What is told while nobody hears is lost: it must be found in the database as well. */
  tell(news: News): void
}

/**
 * Makes one that nobody hears yet.
 *
 * @example
 * ```ts
 * import { createTelling } from '@farebox/platform/telling'
 *
 * const telling = createTelling<string>()
 * telling.serve(news => console.log(news))
 * telling.tell('delivered')
 * ```
 */
export function createTelling<News>(): Telling<News> {
  let hearing: ((news: News) => void) | undefined
  return {
    serve: hear => void (hearing = hear),
    tell: news => hearing?.(news),
  }
}
