import { loadPage, type LoadedPage } from '../app/load-page.ts'
import { matchRoute } from '../app/routes.ts'
import type { Navigation } from '../site/navigation.ts'
import type { Site } from '../site/site.ts'

/** A page to show, with the current state of the site. */
export interface ShownPage {
  readonly site: Site
  readonly page: LoadedPage
}

/**
 * Navigates between pages of this site without loading a document. The browser's Navigation API handles the history, the
 * scroll positions and the stop button. When the browser lacks that API, or a page cannot be read, links load documents.
 */
export function followLinks(site: Site, show: (shown: ShownPage, visit: number) => void): Navigation {
  let visits = 0
  const { navigation } = window
  navigation?.addEventListener('navigate', event => {
    const url = new URL(event.destination.url)
    const isOurs =
      event.canIntercept && !event.hashChange && event.downloadRequest === null && event.formData === null
    if (!isOurs || isOwnChange(event) || matchRoute(url.pathname) === undefined) return
    event.intercept({
      async handler() {
        const page = await loadPage(url, site.ask, false).catch((error: unknown) => {
          if (event.signal.aborted) throw error
          // The document that the server renders explains the problem.
          location.reload()
          throw error
        })
        if (event.signal.aborted) return
        visits += 1
        document.title = `${page.module.head(page.data).title} · Farebox`
        show({ site: { ...site, now: Date.now() / 1_000 }, page }, visits)
      },
    })
  })
  return {
    go(url) {
      location.assign(url)
    },
    replace(url) {
      // `navigation.navigate` is not used, because it would load the document at that address.
      history.replaceState(null, '', url)
    },
    reload() {
      if (navigation === undefined) location.reload()
      else giveWay(navigation.reload({ info: AGAIN }))
    },
  }
}

/** Ignores the rejections of a navigation that another one has replaced. */
function giveWay({ committed, finished }: NavigationResult): void {
  for (const step of [committed, finished]) step?.catch(() => undefined)
}

/** Marks a reload that the page itself requested and that this module handles; other reloads load the document. */
const AGAIN = 'again'

/** Whether the browser handles the navigation: the page only replaces its own address, or the document is reloaded. */
function isOwnChange({ info, navigationType, destination }: NavigateEvent): boolean {
  if (navigationType === 'reload') return info !== AGAIN
  return destination.sameDocument && navigationType !== 'traverse'
}
