import { useEffect, useRef, type ReactNode } from 'react'
import { WalletPurse } from '../purse/wallet-purse.tsx'
import { NavigationProvider, type Navigation } from '../site/navigation.ts'
import { SiteProvider, type Site } from '../site/site.ts'
import type { LoadedPage } from './load-page.ts'
import { Shell } from './shell.tsx'

/** A whole page, the same on the server and in a browser. */
export function App(props: {
  readonly site: Site
  readonly page: LoadedPage
  readonly navigation?: Navigation
  /** Changes with each page that is gone to, so that the next one does not inherit what the one before held. */
  readonly visit?: number
  /** Called once, when a browser has taken over what the server made. */
  readonly onTaken?: () => void
}): ReactNode {
  const { site, page, navigation, visit, onTaken } = props
  const taken = useRef(onTaken)
  useEffect(() => taken.current?.(), [])
  const { Page } = page.module
  const shown = (
    <SiteProvider value={site}>
      <WalletPurse>
        <Shell place={page.place}>
          <Page key={visit} data={page.data} />
        </Shell>
      </WalletPurse>
    </SiteProvider>
  )
  return navigation === undefined ? (
    shown
  ) : (
    <NavigationProvider value={navigation}>{shown}</NavigationProvider>
  )
}
