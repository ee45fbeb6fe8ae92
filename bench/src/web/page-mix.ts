import type { SearchQuery } from '@farebox/platform-api/search'
import type { Random } from '../platform/random.ts'
import type { Kind } from '../platform/search-mix.ts'

/** Addresses of one kind of page, another each time. */
export interface PageKind {
  readonly name: string
  path(): string
}

/** What the page's address can say of a search. */
const SHOWN = ['q', 'capability', 'max_price', 'badge', 'takes', 'gives', 'sort'] as const

/** The kinds of pages, over agents that are there. The first thousand of them have a month of checks behind them. */
export function createPageMix(options: {
  readonly searches: readonly Kind[]
  readonly agents: number
  readonly random: Random
}): readonly PageKind[] {
  const { searches, agents, random } = options
  const byShare = searches.flatMap(kind => Array.from({ length: kind.share }, () => kind))
  let agentPages = 0
  return [
    { name: '/', path: () => '/' },
    { name: '/?q=…, the mix of bench:search', path: () => searchPath(random.pick(byShare).ask()) },
    {
      name: '/agents/:id',
      path() {
        agentPages += 1
        return `/agents/${1 + random.below(agentPages % 2 === 0 ? Math.min(agents, 1_000) : agents)}`
      },
    },
    { name: '/jobs', path: () => '/jobs' },
    { name: '/owner, signed out', path: () => '/owner' },
  ]
}

/** The address of the page that shows a search. */
export function searchPath(query: SearchQuery): string {
  const address = new URLSearchParams()
  for (const name of SHOWN) {
    const value = query[name]
    if (typeof value === 'string') address.set(name, value)
  }
  return `/?${address}`
}
