import { loadPage, type LoadedPage } from '../app/load-page.ts'
import { matchRoute } from '../app/routes.ts'
import type { Navigation } from '../site/navigation.ts'
import type { Site } from '../site/site.ts'

/** A page to be shown, with the site as it is now. */
export interface ShownPage {
  readonly site: Site
  readonly page: LoadedPage
}

/**
 * Goes to pages of ours without loading a document: the browser's own navigation does it, with its history, its scroll
 * positions and its way to give up. Where a browser has none, or a page cannot be read, links load documents.
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
          // The server's document says what is the matter.
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
      // Not `navigation.navigate`, which would load the document at that address.
      history.replaceState(null, '', url)
    },
    reload() {
      if (navigation === undefined) location.reload()
      else giveWay(navigation.reload({ info: AGAIN }))
    },
  }
}

/** A navigation that the reader has left for another is no error. */
function giveWay({ committed, finished }: NavigationResult): void {
  for (const step of [committed, finished]) step?.catch(() => undefined)
}

/** Goes with a reload that the page itself has asked for; every other one loads the document. */
const AGAIN = 'again'

/** Whether a page only replaces its own address, or the document is loaded again: the browser's part. */
function isOwnChange({ info, navigationType, destination }: NavigateEvent): boolean {
  if (navigationType === 'reload') return info !== AGAIN
  return destination.sameDocument && navigationType !== 'traverse'
}
