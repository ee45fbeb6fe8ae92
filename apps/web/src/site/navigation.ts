import { createContext, useContext } from 'react'

/** How a page changes its own address, and goes to another. */
export interface Navigation {
  /** Goes to a page of ours, as a click on a link would. */
  go(url: string): void
  /** Changes the address and nothing else; no entry in the history. */
  replace(url: string): void
  /** Reads the page again, at the same address. */
  reload(): void
}

/** Before a browser has taken over nothing navigates but links. */
const NavigationContext = createContext<Navigation>({ go() {}, replace() {}, reload() {} })

/** Hands the navigation down to everything inside. */
export const NavigationProvider = NavigationContext.Provider

/** The navigation, anywhere in a page. */
export function useNavigation(): Navigation {
  return useContext(NavigationContext)
}
