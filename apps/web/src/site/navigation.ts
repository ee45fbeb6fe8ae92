import { createContext, useContext } from 'react'

/** The ways in which a page changes its own address or opens another page. */
export interface Navigation {
  /** Opens a page of this site, as a click on a link would. */
  go(url: string): void
  /** Replaces the address without loading anything or adding a history entry. */
  replace(url: string): void
  /** Loads the data of the page again, at the same address. */
  reload(): void
}

/** Does nothing until the browser has taken over the page; before that, only links navigate. */
const NavigationContext = createContext<Navigation>({ go() {}, replace() {}, reload() {} })

/** Provides the navigation to its descendants. */
export const NavigationProvider = NavigationContext.Provider

/** The navigation, for any component of a page. */
export function useNavigation(): Navigation {
  return useContext(NavigationContext)
}
