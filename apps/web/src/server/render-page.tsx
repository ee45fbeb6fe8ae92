import type { Platform } from '@farebox/platform-api/registry'
import { renderToString } from 'react-dom/server'
import { App } from '../app/app.tsx'
import { loadPage, type LoadedPage, type PageState } from '../app/load-page.ts'
import { answers } from '../site/answers.ts'
import { ApiFailure, createAsk, type Ask, type Transport } from '../site/ask.ts'
import { writeDocument } from './document.ts'
import { failedPage } from './failed-page.tsx'
import type { PageFiles } from './page-files.ts'

/** A request for a page. */
export interface PageAsked {
  /** Path and query, as they were asked for. */
  readonly path: string
  /** What the reader has chosen; undefined: what their system says. */
  readonly theme: 'light' | 'dark' | undefined
  /** Asks the platform's API for whoever asked for the page. */
  readonly transport: Transport
}

/** A page that was made. */
export interface PageAnswer {
  readonly status: number
  readonly html: string
  /** For its reader alone: to be kept nowhere. */
  readonly isPersonal: boolean
}

/** Makes a page's document. Never rejects: where the platform does not answer, the document says so. */
export async function renderPage(files: PageFiles, publicUrl: string, asked: PageAsked): Promise<PageAnswer> {
  const url = new URL(asked.path, publicUrl)
  const ask = createAsk(asked.transport)
  const { platform, page } = await load(url, ask)
  const state: PageState = { platform, now: Date.now() / 1_000, data: page.data, status: page.status }
  const body = renderToString(<App site={{ platform, now: state.now, ask }} page={page} />)
  const head = page.module.head(page.data)
  const html = writeDocument({
    head,
    url: `${publicUrl}${url.pathname}`,
    theme: asked.theme,
    ...files.linksFor(page.route.path),
    body,
    state,
  })
  return { status: page.status, html, isPersonal: head.personal === true }
}

async function load(url: URL, ask: Ask): Promise<{ readonly platform: Platform; readonly page: LoadedPage }> {
  const platform = await ask('/v1/platform', answers.platform)
  try {
    return { platform, page: await loadPage(url, ask, true) }
  } catch (error) {
    if (error instanceof ApiFailure) return { platform, page: failedPage(error) }
    throw error
  }
}
