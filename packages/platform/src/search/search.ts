import type { SearchQuery } from '@farebox/platform-api/search'
import { readUsdc } from '@farebox/protocol/money/usdc'
import { Refusal } from '../http/refusal.ts'
import { readCursor, type Place } from './cursor.ts'
import { categoryTag, fieldTag } from '../listing/describe-entry.ts'
import { rankOf } from '../listing/search-rank.ts'
import { askedWords, exactKey, nameKey } from '../words.ts'

/** Tags of which any one is enough. */
export type TagGroup = readonly string[]

/** What is looked for, as the query says it. */
export interface Search {
  /** Undefined: no words were given. Empty: what was given holds no word, so nothing matches. */
  readonly words: readonly string[] | undefined
  readonly nameKey: string
  /** The capability that prices and fields are those of. */
  readonly capabilityKey: string | undefined
  /** Of one and the same capability; of each group any one. */
  readonly fieldTags: readonly TagGroup[]
  readonly minPriceAtomic: bigint | undefined
  readonly maxPriceAtomic: bigint | undefined
  /** `badge=…`, or undefined for any. */
  readonly badgeTag: string | undefined
  /** `category=…`, or undefined for any. */
  readonly categoryTag: string | undefined
  /** What such a badge makes at least. */
  readonly leastStanding: number | undefined
  readonly withProvisional: boolean
  readonly sort: NonNullable<SearchQuery['sort']>
  readonly limit: number
  /** Go on behind this place. */
  readonly after: Place | undefined
}

/**
 * Reads a checked query.
 *
 * Throws a {@link Refusal} `validation` for a cursor that is none or belongs to another query, and for a lower price
 * above the upper one.
 */
export function readSearch(query: SearchQuery): Search {
  const minPriceAtomic = readAmount(query.min_price)
  const maxPriceAtomic = readAmount(query.max_price)
  if (minPriceAtomic !== undefined && maxPriceAtomic !== undefined && minPriceAtomic > maxPriceAtomic)
    throw new Refusal('validation', 'min_price: must not be above max_price')
  const badgeShown = query.badge === 'none' ? undefined : query.badge
  const isAsked = query.q !== undefined && query.q.trim() !== ''
  return {
    words: isAsked ? askedWords(query.q ?? '', MOST_WORDS) : undefined,
    nameKey: nameKey(query.q ?? ''),
    // What no capability can be called still is a condition: nothing fulfils it.
    capabilityKey: query.capability === undefined ? undefined : (exactKey(query.capability) ?? ''),
    fieldTags: [
      ...listOf(query.takes).map(field => [readField('takes', field)]),
      ...listOf(query.gives).map(field => [readField('gives', field)]),
    ],
    minPriceAtomic,
    maxPriceAtomic,
    badgeTag: badgeShown && `badge=${badgeShown}`,
    categoryTag: query.category && categoryTag(query.category),
    leastStanding: badgeShown && rankOf({ badgeShown, payers: 0, isProvisional: false }),
    withProvisional: query.provisional === 'true',
    sort: query.sort ?? 'relevance',
    limit: query.limit === undefined ? DEFAULT_LIMIT : Number(query.limit),
    after: query.cursor === undefined ? undefined : readCursor(query.cursor, query, isAsked),
  }
}

const DEFAULT_LIMIT = 20
const MOST_WORDS = 8

function readAmount(decimal: string | undefined): bigint | undefined {
  if (decimal === undefined) return undefined
  const amount = readUsdc(decimal)
  if (!amount.ok) throw new Refusal('validation', `price: ${amount.reason}`)
  return amount.atomic
}

function readField(side: 'takes' | 'gives', filter: string): string {
  const colon = filter.indexOf(':')
  return fieldTag(side, filter.slice(0, colon), exactKey(filter.slice(colon + 1)) ?? '')
}

function listOf(filters: string | readonly string[] | undefined): readonly string[] {
  if (filters === undefined) return []
  return typeof filters === 'string' ? [filters] : filters
}
