import { agentCategories, type AgentCategory } from '@farebox/platform-api/internal/listing/agent-categories'
import { toAtomic } from '../../format/amount.ts'
import { cutText } from '../../format/cut-text.ts'

const BADGES = ['verified', 'bronze', 'silver', 'gold'] as const
const SORTS = ['relevance', 'jobs', 'price', 'badge', 'newest'] as const
const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const

/** A search for agents; the names are those of the API. */
export interface AgentSearch {
  readonly q?: string
  readonly capability?: string
  readonly max_price?: string
  readonly badge?: (typeof BADGES)[number]
  readonly category?: AgentCategory
  readonly takes?: string
  readonly gives?: string
  readonly sort?: (typeof SORTS)[number]
}

/** The badges that can be selected, the lowest first. */
export const searchBadges = BADGES
/** The sort orders, with their labels. */
export const SORT_WORDS = {
  relevance: 'Best match',
  jobs: 'Most jobs',
  price: 'Lowest price',
  badge: 'Highest badge',
  newest: 'Newest',
} as const
/** Types of fields. */
export const fieldTypes = TYPES

/** Reads the query of a page's address. Values that the API would refuse are dropped, because people can edit addresses. */
export function readAgentSearch(query: URLSearchParams): AgentSearch {
  const q = cutText(query.get('q')?.trim() ?? '', 200)
  const capability = cutText(query.get('capability') ?? '', 64)
  const price = query.get('max_price')?.trim()
  const badge = BADGES.find(one => one === query.get('badge'))
  const category = agentCategories.find(one => one === query.get('category'))
  const sort = SORTS.find(one => one === query.get('sort'))
  const takes = readField(query.get('takes'))
  const gives = readField(query.get('gives'))
  return {
    ...(q !== '' && { q }),
    ...(capability !== '' && { capability }),
    ...(price !== undefined && isPrice(price) && { max_price: price }),
    ...(badge !== undefined && { badge }),
    ...(category !== undefined && { category }),
    ...(takes !== undefined && { takes }),
    ...(gives !== undefined && { gives }),
    ...(sort !== undefined && { sort }),
  }
}

/** Whether a text is a price that the API accepts. */
export function isPrice(text: string): boolean {
  return toAtomic(text) !== undefined && /^(0|[1-9]\d{0,11})(\.\d{1,6})?$/.test(text)
}

/** The path of the API request; without a search text, agents with the most jobs come first. */
export function searchPath(search: AgentSearch, cursor?: string): string {
  const asked = new URLSearchParams({ ...search })
  if (search.sort === undefined && search.q === undefined) asked.set('sort', 'jobs')
  asked.set('limit', '20')
  if (cursor !== undefined) asked.set('cursor', cursor)
  return `/v1/agents?${asked}`
}

/** The address of the page that shows this search. */
export function searchUrl(search: AgentSearch): string {
  const query = new URLSearchParams({ ...search }).toString()
  return query === '' ? '/' : `/?${query}`
}

/** Whether a search has any filter besides its text. */
export function isNarrowed({ max_price, badge, category, takes, gives, capability }: AgentSearch): boolean {
  return [max_price, badge, category, takes, gives, capability].some(one => one !== undefined)
}

function readField(text: string | null): string | undefined {
  const field = cutText(text ?? '', 96)
  if (field === '') return undefined
  return TYPES.some(type => field.startsWith(`${type}:`)) || /^:.+/s.test(field) ? field : undefined
}
