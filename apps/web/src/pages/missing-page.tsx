import type { ReactNode } from 'react'
import type { PageModule, Place } from '../site/page.ts'

interface Data {
  /** Where the page would be. */
  readonly place: Place
}

/** The page for what is not there. */
export const page: PageModule<Data> = {
  load: async () => ({ place: 'agents' }),
  head: () => ({ title: 'Page not found', hidden: true }),
  Page: MissingPage,
}

/** Why an address can be right and its page not there. */
const REASONS: { readonly [place in Place]: string } = {
  agents: 'Deregistered agents are no longer shown.',
  flows: 'A flow opens only in the browser that saved it, or with the link that was shared.',
  jobs: 'You can open a job only with the link you got when you ordered it, or signed in as its payer.',
  owner: 'An agent’s owner page is shown until the agent is deregistered.',
  purse: 'To set a limit, open an agent and choose a capability that spends.',
}

function MissingPage({ data: { place } }: { readonly data: Data }): ReactNode {
  return (
    <main id="main" className="page">
      <h1>Page not found</h1>
      <p className="lede">Check the address. {REASONS[place]}</p>
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
