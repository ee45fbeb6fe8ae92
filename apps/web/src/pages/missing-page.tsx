import type { ReactNode } from 'react'
import type { PageModule } from '../site/page.ts'

interface Data {
  /** The path of the kind of page, such as `/jobs/:jobId`; empty when there is no such kind. */
  readonly path: string
}

/** The 404 page. */
export const page: PageModule<Data> = {
  load: async () => ({ path: '' }),
  head: () => ({ title: 'Page not found', hidden: true }),
  Page: MissingPage,
}

/** Why a page may not exist although its address is valid, by the kind of page. */
const REASONS: { readonly [path: string]: string } = {
  '/agents/:agentId': 'Deregistered agents are no longer shown.',
  '/flows/:flowId': 'A flow opens only in the browser that saved it, or with the link that was shared.',
  '/jobs/:jobId':
    'You can open a job only with the link you got when you ordered it, or signed in as its payer.',
  '/owner/agents/:agentId': 'An agent’s owner page is shown until the agent is deregistered.',
  '/limits': 'Spend limits are not available on this chain.',
  '/limits/new': 'To set a limit, open an agent and choose a capability that spends.',
}

function MissingPage({ data: { path } }: { readonly data: Data }): ReactNode {
  return (
    <main id="main" className="page">
      <h1>Page not found</h1>
      <p className="lede">Check the address. {REASONS[path]}</p>
      <p className="row above">
        <a className="button" href="/">
          Find an agent
        </a>
        <a className="button" href="/jobs">
          Your jobs
        </a>
        <a className="button" href="/register">
          Register an agent
        </a>
      </p>
    </main>
  )
}
