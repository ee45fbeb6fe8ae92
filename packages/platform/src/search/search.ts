import type { SearchQuery } from '@farebox/platform-api/search'
import { readUsdc } from '@farebox/protocol/money/usdc'
import { Refusal } from '../http/refusal.ts'
import { readCursor, type Place } from './cursor.ts'
import { categoryTag, fieldTag } from '../listing/describe-entry.ts'
import { rankOf } from '../listing/search-rank.ts'
import { askedWords, exactKey, nameKey } from '../words.ts'

/** Tags of which at least one must be present. */
export type TagGroup = readonly string[]

/** The conditions of a search, parsed from its query. */
export interface Search {
  /** Undefined when no words were given. Empty when the given text contains no word, so that nothing matches. */
  readonly words: readonly string[] | undefined
  readonly nameKey: string
  /** The capability to which prices and fields apply. */
  readonly capabilityKey: string | undefined
  /** Tags that a single capability must have, at least one of each group. */
  readonly fieldTags: readonly TagGroup[]
  readonly minPriceAtomic: bigint | undefined
  readonly maxPriceAtomic: bigint | undefined
  /** `badge=…`, or undefined for any badge. */
  readonly badgeTag: string | undefined
  /** `category=…`, or undefined for any category. */
  readonly categoryTag: string | undefined
  /** The lowest rank that an agent with the requested badge can have. */
  readonly leastStanding: number | undefined
  readonly withProvisional: boolean
  readonly sort: NonNullable<SearchQuery['sort']>
  readonly limit: number
  /** The search continues after this place. */
  readonly after: Place | undefined
}

/**
 * Parses a validated query.
 *
 * Throws a {@link Refusal} `validation` for a cursor that is invalid or belongs to another query, and when the lower
 * price is above the upper one.
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
    // A name that no capability can have is still a condition, which no agent meets.
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
