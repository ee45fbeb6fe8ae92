import type { ReactNode } from 'react'
import type { Ask } from './ask.ts'

/** The request for a page: its address, and how to ask for its data. */
export interface PageRequest {
  /** The values of its path's pattern: `{ agentId: '3' }`. */
  readonly params: { readonly [name: string]: string }
  readonly query: URLSearchParams
  readonly ask: Ask
  /** On the server there is no session to sign in with, no storage and no wallet. */
  readonly isServer: boolean
}

/** The head of a document. */
export interface Head {
  readonly title: string
  readonly description?: string
  /** Private pages and failures are not for search engines. */
  readonly hidden?: boolean
  /** For one signed-in person alone: nothing keeps it, the browser neither. Hidden as well. */
  readonly personal?: boolean
}

/** One page: how its data is read, what its head says, how it looks. Data is JSON: it travels in the document. */
export interface PageModule<Data> {
  /** Rejects with an `ApiFailure`; 404 shows the page for what is not there. */
  readonly load: (request: PageRequest) => Promise<Data>
  readonly head: (data: Data) => Head
  readonly Page: (props: { readonly data: Data }) => ReactNode
}

/** The place of the band that a page belongs to; `purse` is none of the four. */
export type SitePlace = 'agents' | 'flows' | 'jobs' | 'owner' | 'purse'
