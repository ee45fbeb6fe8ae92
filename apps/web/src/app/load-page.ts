import type { Platform } from '@farebox/platform-api/registry'
import { ApiFailure, type Ask } from '../site/ask.ts'
import type { PageModule, SitePlace } from '../site/page.ts'
import { matchRoute, missingRoute, type PageRoute } from './routes.ts'

/** A page with its data, ready to be rendered. */
export interface LoadedPage {
  readonly route: PageRoute
  readonly module: PageModule<unknown>
  readonly data: unknown
  readonly place: SitePlace
  /** HTTP status of the document that holds this page. */
  readonly status: number
}

/** The data in a document from which the browser takes over the server's page. */
export interface PageState {
  readonly platform: Platform
  /** Unix seconds. */
  readonly now: number
  readonly data: unknown
  readonly status: number
}

/**
 * Reads the page at an address. When there is no such page, resolves to the 404 page.
 *
 * Rejects with an `ApiFailure` when the platform does not answer a request that the page needs.
 */
export async function loadPage(url: URL, ask: Ask, isServer: boolean): Promise<LoadedPage> {
  const match = matchRoute(url.pathname)
  if (match === undefined) return await loadMissing(missingRoute)
  const { route, params } = match
  const module = await route.import()
  try {
    const data = await module.load({ params, query: url.searchParams, ask, isServer })
    return { route, module, data, place: route.place, status: 200 }
  } catch (error) {
    if (error instanceof ApiFailure && (error.status === 404 || error.status === 400))
      return await loadMissing(route)
    throw error
  }
}

/** Restores the page from the data in its document. */
export async function restorePage(url: URL, state: PageState): Promise<LoadedPage> {
  const found = matchRoute(url.pathname)?.route ?? missingRoute
  const route = state.status === 404 ? missingRoute : found
  // A 404 page has the place of the requested kind of page, as on the server.
  const { place } = found
  return { route, module: await route.import(), data: state.data, place, status: state.status }
}

async function loadMissing({ path, place }: PageRoute): Promise<LoadedPage> {
  const module = await missingRoute.import()
  return { route: missingRoute, module, data: { path }, place, status: 404 }
}
