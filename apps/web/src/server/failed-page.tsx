import type { ReactNode } from 'react'
import type { LoadedPage } from '../app/load-page.ts'
import { missingRoute } from '../app/routes.ts'
import type { ApiFailure } from '../site/ask.ts'

/** The page for what the platform could not be asked just now. */
export function failedPage({ status, message, retryAfter }: ApiFailure): LoadedPage {
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
