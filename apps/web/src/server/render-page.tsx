import type { Platform } from '@farebox/platform-api/registry'
import { renderToString } from 'react-dom/server'
import { App } from '../app/app.tsx'
import { loadPage, type LoadedPage, type PageState } from '../app/load-page.ts'
import { answers } from '../site/answers.ts'
import { ApiFailure, createAsk, type Ask, type Transport } from '../site/ask.ts'
import { writeDocument } from './document.ts'
import type { PageFiles } from './page-files.ts'
import type { ReactNode } from 'react'
import { missingRoute } from '../app/routes.ts'

/** A request for a page. */
export interface PageAsked {
  /** Path and query of the request. */
  readonly path: string
  /** The reader's choice; undefined for the system's setting. */
  readonly theme: 'light' | 'dark' | undefined
  /** Sends requests to the platform's API with the session of the reader. */
  readonly transport: Transport
}

/** A rendered page. */
export interface PageAnswer {
  readonly status: number
  readonly html: string
  /** Whether it is for its reader only and must not be cached. */
  readonly isPersonal: boolean
}

/** Renders a page's document. Never rejects: if the platform does not answer, the document says so. */
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

/** The error page that is shown when the platform cannot be reached. */
function failedPage({ status, message, retryAfter }: ApiFailure): LoadedPage {
  const data = { message, retryAfter: retryAfter ?? null }
  return {
    route: missingRoute,
    module: {
      load: async () => data,
      head: () => ({ title: 'Unavailable', hidden: true }),
      Page: () => <FailedPage {...data} />,
    },
    data,
    place: 'agents',
    status: status === 0 ? 503 : status,
  }
}

function FailedPage(props: { readonly message: string; readonly retryAfter: number | null }): ReactNode {
  return (
    <main id="main" className="page">
      <h1>This page is unavailable right now</h1>
      <p className="lede">{props.message}</p>
      <p className="lede">
        Nothing was sent, and you were not charged.
        {props.retryAfter !== null && ` Reload in ${props.retryAfter} s.`}
      </p>
    </main>
  )
}
