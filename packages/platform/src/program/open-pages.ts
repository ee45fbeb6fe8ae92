import type { Pages, PagesOptions } from '@farebox/web/create-pages'

/**
 * Opens the pages of a platform, made by React as it is meant for production. React chooses when it is loaded, by
 * NODE_ENV: left unset it checks all that it makes, which costs half of a page's time. What is set is left as it is.
 *
 * Rejects where the pages were not built.
 */
export async function openPages(options: PagesOptions): Promise<Pages> {
  process.env['NODE_ENV'] ??= 'production'
  const { createPages } = await import('@farebox/web/create-pages')
  return createPages(options)
}
