import { useEffect, useRef, type ReactNode } from 'react'
import { WalletPurse } from '../purse/wallet-purse.tsx'
import { NavigationProvider, type Navigation } from '../site/navigation.ts'
import { SiteProvider, type Site } from '../site/site.ts'
import type { LoadedPage } from './load-page.ts'
import { Shell } from './shell.tsx'

/** A whole page. The server and the browser render the same tree. */
export function App(props: {
  readonly site: Site
  readonly page: LoadedPage
  readonly navigation?: Navigation
  /** Changes with every navigation, so that the next page does not inherit the state of the previous one. */
  readonly visit?: number
  /** Called once, when the browser has taken over the page that the server rendered. */
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
