import type { Pages, PagesOptions } from '@farebox/web/create-pages'

/**
 * Opens the pages of a platform with the production build of React. React selects its build by NODE_ENV when it is
 * loaded: when unset, the development build is used, whose checks take half of a page's rendering time. An existing
 * value is not changed.
 *
 * Rejects when the pages were not built.
 */
export async function openPages(options: PagesOptions): Promise<Pages> {
  process.env['NODE_ENV'] ??= 'production'
  const { createPages } = await import('@farebox/web/create-pages')
  return createPages(options)
}
