import type { ReactNode } from 'react'
import type { Ask } from './ask.ts'

/** The request for a page: its address, and the access to its data. */
export interface PageRequest {
  /** The parameters in its path: `{ agentId: '3' }`. */
  readonly params: { readonly [name: string]: string }
  readonly query: URLSearchParams
  readonly ask: Ask
  /** Whether the page is rendered on the server, which has no storage, no wallet and no session to sign in with. */
  readonly isServer: boolean
}

/** The head of a document. */
export interface Head {
  readonly title: string
  readonly description?: string
  /** Whether search engines are excluded; set for private pages and failures. */
  readonly hidden?: boolean
  /**
   * Whether the page is for one signed-in person only, so that nothing may cache it, not even the browser. Implies `hidden`.
   */
  readonly personal?: boolean
}

/** One page: how its data is loaded, its head, and its view. The data is JSON, because the document contains it. */
export interface PageModule<Data> {
  /** Rejects with an `ApiFailure`; for a 404, the 404 page is shown. */
  readonly load: (request: PageRequest) => Promise<Data>
  readonly head: (data: Data) => Head
  readonly Page: (props: { readonly data: Data }) => ReactNode
}

/** The entry of the navigation band that a page belongs to; `purse` is the wallet, not one of the four sections. */
export type SitePlace = 'agents' | 'flows' | 'jobs' | 'owner' | 'purse'
