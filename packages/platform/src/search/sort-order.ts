import type { Search } from './search.ts'
import type { Values } from './sql-values.ts'

/** What a search is sorted by, and between equals by `position` in the same direction. */
export interface Order {
  /** In SQL; with `position` behind it, it is an index. */
  readonly key: string
  readonly direction: 'asc' | 'desc'
  /** What is behind a place. */
  readonly behind: '>' | '<'
}

/** In what order a search lists agents. */
export function orderOf({ sort, capabilityKey }: Search): Order {
  switch (sort) {
    case 'relevance':
    case 'badge':
      return { key: 'entry.standing', ...FALLING }
    case 'jobs':
      return { key: 'entry.jobs_done', ...FALLING }
    case 'newest':
      return { key: 'entry.agent_id', ...FALLING }
    case 'price':
      return { key: capabilityKey === undefined ? 'entry.min_price_atomic' : 'offer.price_atomic', ...RISING }
  }
}

const RISING = { direction: 'asc', behind: '>' } as const
const FALLING = { direction: 'desc', behind: '<' } as const

/** The tables that {@link orderOf} and the filters speak of: with the capability that is named, if one is. */
export function fromTables({ capabilityKey }: Search, values: Values): string {
  if (capabilityKey === undefined) return 'search_entries entry'
  const key = values.bind(capabilityKey, 'text')
  return `search_entries entry join search_capabilities offer
    on offer.agent_id = entry.agent_id and offer.capability_key = ${key}`
}
