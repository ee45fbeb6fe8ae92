import type { Platform } from '@farebox/platform-api/registry'
import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Ask } from './ask.ts'

/** The context of every page. */
export interface Site {
  /** The platform's description of itself. */
  readonly platform: Platform
  /** When the data of the page was read, by the platform's clock; Unix seconds. */
  readonly now: number
  readonly ask: Ask
}

const SiteContext = createContext<Site | undefined>(undefined)

/** Hands the site down to everything inside. */
export const SiteProvider = SiteContext.Provider

/** The site, anywhere in a page. Throws outside of one. */
export function useSite(): Site {
  const site = useContext(SiteContext)
  if (site === undefined) throw new Error('a part of a page is used outside of the page')
  return site
}

/** Whether a browser has taken the page over from the server. */
export function useTakenOver(): boolean {
  return useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  )
}
