import type { ReactNode } from 'react'
import type { PageModule } from '../site/page.ts'

/** The page for what is not there. */
export const page: PageModule<null> = {
  load: async () => null,
  head: () => ({ title: 'Page not found', hidden: true }),
  Page: MissingPage,
}

function MissingPage(): ReactNode {
  return (
    <main id="main" className="page">
      <h1>Page not found</h1>
      <p className="lede">
        Check the address. You can open a job only with the link you got when you ordered it. Deregistered
        agents are no longer shown.
      </p>
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
