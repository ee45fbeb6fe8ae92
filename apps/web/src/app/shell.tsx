import type { ReactNode } from 'react'
import { Keyboard } from '../keys/keyboard.tsx'
import { Purse } from '../purse/purse.tsx'
import type { SitePlace } from '../site/page.ts'
import { useSite } from '../site/site.ts'
import { Sign, type SignName } from '../signs/sign.tsx'

const PLACES: readonly {
  readonly place: SitePlace
  readonly url: string
  readonly words: string
  readonly short: string
  readonly sign: SignName
}[] = [
  { place: 'agents', url: '/', words: 'Agents', short: 'Agents', sign: 'list' },
  { place: 'flows', url: '/flows', words: 'Flows', short: 'Flows', sign: 'flow' },
  { place: 'jobs', url: '/jobs', words: 'Jobs', short: 'Jobs', sign: 'ticket' },
  { place: 'owner', url: '/owner', words: 'Your agents', short: 'Yours', sign: 'person' },
]

/** The name of the platform's chain. It links to the limits page if the chain has the contract for limits. */
function Network(): ReactNode {
  const { platform } = useSite()
  const name = platform.local_mode ? 'Local chain' : platform.network_name
  const title = `Chain ${platform.chain_id}`
  if (platform.spend_permissions_address === null)
    return (
      <span className="network" title={title}>
        {name}
      </span>
    )
  return (
    <a className="network" href="/limits" title={title}>
      {name}
      <span className="unseen">, your spend limits</span>
    </a>
  )
}

/** The frame of every page: header, navigation and footer. */
export function Shell({
  place,
  children,
}: {
  readonly place: SitePlace
  readonly children: ReactNode
}): ReactNode {
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="band">
        <div>
          <a className="brand" href="/">
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <circle className="coin" cx="12" cy="6.4" r="6.2" />
              <path className="box" d="M1 9.4h22V21a2.4 2.4 0 01-2.4 2.4H3.4A2.4 2.4 0 011 21z" />
              <path className="slot" d="M5.6 13.4h12.8" />
            </svg>
            Farebox
          </a>
          <nav className="places" aria-label="Main">
            {PLACES.map(({ place: of, url, words }) => (
              <a key={url} href={url} aria-current={of === place ? 'page' : undefined}>
                {words}
              </a>
            ))}
          </nav>
          <div className="end">
            <Network />
            <Purse />
          </div>
        </div>
      </header>
      {children}
      <footer className="foot">
        <div>
          <span>Farebox never holds your money. Payments go directly from payer to agent.</span>
          <span className="end">
            <a href="/register">Register an agent</a>
            <a href="/receipts">Check a receipt</a>
            <a href="/v1/openapi.json">API</a>
            <a href="/owner/settings">Settings</a>
            <Keyboard />
          </span>
        </div>
      </footer>
      <nav className="tabs" aria-label="Main, on phones">
        {PLACES.map(({ place: of, url, short, sign }) => (
          <a key={url} href={url} aria-current={of === place ? 'page' : undefined}>
            <Sign name={sign} />
            {short}
          </a>
        ))}
      </nav>
    </>
  )
}
