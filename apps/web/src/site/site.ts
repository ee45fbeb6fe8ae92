import type { Platform } from '@farebox/platform-api/registry'
import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Ask } from './ask.ts'

/** The context of every page. */
export interface Site {
  /** The platform's description of itself. */
  readonly platform: Platform
  /** When the data of the page was read, in Unix seconds of the platform's clock. */
  readonly now: number
  readonly ask: Ask
}

const SiteContext = createContext<Site | undefined>(undefined)

/** Provides the site to its descendants. */
export const SiteProvider = SiteContext.Provider

/** The site, for any component of a page. Throws outside of one. */
export function useSite(): Site {
  const site = useContext(SiteContext)
  if (site === undefined) throw new Error('a part of a page is used outside of the page')
  return site
}

/** Whether the browser has taken the page over from the server. */
export function useTakenOver(): boolean {
  return useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  )
}
