import type { Search } from './search.ts'
import type { Values } from './sql-values.ts'

/** The order of a search; rows with equal keys are ordered by `position` in the same direction. */
export interface Order {
  /** An SQL expression; an index exists on it and `position`. */
  readonly key: string
  readonly direction: 'asc' | 'desc'
  /** The operator for rows that come after a place. */
  readonly behind: '>' | '<'
}

/** The order in which a search lists agents. */
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

/** The tables that {@link orderOf} and the filters use, including the named capability, if any. */
export function fromTables({ capabilityKey }: Search, values: Values): string {
  if (capabilityKey === undefined) return 'search_entries entry'
  const key = values.bind(capabilityKey, 'text')
  return `search_entries entry join search_capabilities offer
    on offer.agent_id = entry.agent_id and offer.capability_key = ${key}`
}
