import { createHash } from 'node:crypto'
import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import type { FieldMap } from '@farebox/protocol/fields/field'
import { readUsdc } from '@farebox/protocol/money/usdc'
import { BADGES } from '../agents/badge.ts'
import type { AgentRow, Badge } from '../agents/agent-row.ts'
import { ownersText } from './owners-text.ts'
import { positionOf, rankOf } from './search-rank.ts'
import { showFields, type ShownFields } from './show-fields.ts'
import { exactKey, nameKey, wordsOf } from '../words.ts'

/** An agent that can be found by search, from its row and its job counts. */
export interface FindableAgent {
  readonly agentId: number
  readonly name: string
  readonly description: string
  readonly declaration: Declaration | undefined
  readonly isProvisional: boolean
  readonly badgeShown: Badge
  readonly category: AgentRow['category']
  readonly jobsDone: number
  readonly payers: number
}

/** A row of `search_entries` and its rows of `search_capabilities`. */
export interface ListingEntry {
  readonly position: bigint
  readonly nameKey: string
  readonly nameWords: readonly string[]
  readonly capabilityWords: readonly string[]
  readonly allWords: readonly string[]
  readonly tags: readonly string[]
  /** `undefined` when there are more than an index row can hold. */
  readonly tagHashes: readonly number[] | undefined
  readonly standing: number
  readonly minPriceAtomic: bigint
  readonly maxPriceAtomic: bigint
  readonly capabilities: readonly CapabilityEntry[]
}

/** One capability as stored for search. */
export interface CapabilityEntry {
  readonly key: string
  readonly name: string
  readonly ordinal: number
  readonly priceAtomic: bigint
  readonly tags: readonly string[]
  readonly takes: ShownFields
  readonly gives: ShownFields
}

/** Only the first capabilities are searched, so that a long list of capabilities gives no advantage. */
const MOST_CAPABILITIES = 64

/** The price when nothing is sold: higher than any real one. The largest `bigint` of PostgreSQL. */
const NO_PRICE = 2n ** 63n - 1n

const MOST_FIELDS = 64
const MOST_WORDS = 256
/**
 * Limits for the `tsvector`s, each of which contains the words of the previous one; together they must fit into one index
 * row.
 */
const MOST_NAME_BYTES = 256
const MOST_CAPABILITY_BYTES = 512
const MOST_BYTES = 1_150
const MOST_TAG_HASHES = 96

/**
 * The search entry of an agent. Each word counts once and each list is limited, so that longer texts give no advantage
 * (WEB-03).
 */
export function describeEntry(agent: FindableAgent): ListingEntry {
  const declared = agent.isProvisional ? [] : Object.entries(agent.declaration?.capabilities ?? {})
  const searched = declared.slice(0, MOST_CAPABILITIES)
  const capabilities = withDistinctKeys(searched.map(describeCapability))
  const prices = capabilities.map(({ priceAtomic }) => priceAtomic)
  const nameWords = within(MOST_NAME_BYTES, wordsOf(agent.name, MOST_WORDS))
  const called = wordsOf(searched.map(([name]) => name).join(' '), MOST_WORDS)
  const capabilityWords = within(MOST_CAPABILITY_BYTES, [...nameWords, ...called])
  const spoken = [agent.description, ...searched.map(([, capability]) => capability.description)]
  const offered = distinct(capabilities.flatMap(({ key, tags }) => [`capability=${key}`, ...tags]))
  return {
    position: positionOf(agent.agentId),
    nameKey: nameKey(agent.name),
    nameWords,
    capabilityWords,
    allWords: within(MOST_BYTES, [...capabilityWords, ...wordsOf(spoken.join('\n'), MOST_WORDS)]),
    tags: [...badgeTags(agent), ...categoryTags(agent), ...offered],
    tagHashes: offered.length <= MOST_TAG_HASHES ? offered.map(tagHash) : undefined,
    standing: rankOf(agent),
    minPriceAtomic: smallest(prices),
    maxPriceAtomic: largest(prices),
    capabilities,
  }
}

/** The tag of a field. Fields are searched by type and name, by type alone (empty name), or by name alone (empty type). */
export function fieldTag(side: 'takes' | 'gives', type: string, name: string): string {
  return `${side}=${type}:${name}`
}

/** The tag of a category. */
export function categoryTag(category: string): string {
  return `category=${category}`
}

/** A hash small enough for an index. Equal hashes mean that the tags may be equal. */
export function tagHash(tag: string): number {
  return createHash('sha256').update(tag).digest().readInt32BE(0)
}

function describeCapability(
  [name, capability]: [string, Capability],
  ordinal: number,
): CapabilityEntry | undefined {
  const key = exactKey(name)
  const price = readUsdc(capability.pricing.amount)
  if (key === undefined || !price.ok) return undefined
  return {
    key,
    name: ownersText(name, MOST_NAME_CHARACTERS).text,
    ordinal,
    priceAtomic: price.atomic < NO_PRICE ? price.atomic : NO_PRICE - 1n,
    tags: distinct([
      ...fieldTags('takes', capability.input_schema),
      ...fieldTags('gives', capability.output_schema),
    ]),
    takes: showFields(capability.input_schema, 'input'),
    gives: showFields(capability.output_schema, 'output'),
  }
}

const MOST_NAME_CHARACTERS = 64

function fieldTags(side: 'takes' | 'gives', fields: FieldMap): readonly string[] {
  return Object.entries(fields)
    .slice(0, MOST_FIELDS)
    .flatMap(([name, { type }]) => {
      const key = exactKey(name)
      const byName = key === undefined ? [] : [fieldTag(side, type, key), fieldTag(side, '', key)]
      return [fieldTag(side, type, ''), ...byName]
    })
}

/** Capabilities whose names differ only in case are one capability for search: the cheaper one is used. */
function withDistinctKeys(
  capabilities: readonly (CapabilityEntry | undefined)[],
): readonly CapabilityEntry[] {
  const byKey = new Map<string, CapabilityEntry>()
  for (const capability of capabilities) {
    if (capability === undefined) continue
    const other = byKey.get(capability.key)
    if (other === undefined || capability.priceAtomic < other.priceAtomic)
      byKey.set(capability.key, capability)
  }
  return [...byKey.values()]
}

function badgeTags({ badgeShown }: FindableAgent): readonly string[] {
  return BADGES.slice(1, BADGES.indexOf(badgeShown) + 1).map(badge => `badge=${badge}`)
}

function categoryTags({ category }: FindableAgent): readonly string[] {
  return category === undefined ? [] : [categoryTag(category)]
}

/** The distinct words that fit into this many bytes as a `tsvector`, in order. */
function within(most: number, words: readonly string[]): readonly string[] {
  let bytes = TSVECTOR_BYTES
  return distinct(words).filter(word => {
    bytes += TSVECTOR_WORD_BYTES + Buffer.byteLength(word)
    return bytes <= most
  })
}

/** The size of a `tsvector` in bytes apart from its words: in total, and for each word. */
const TSVECTOR_BYTES = 8
const TSVECTOR_WORD_BYTES = 4

function smallest(amounts: readonly bigint[]): bigint {
  return amounts.reduce((least, amount) => (amount < least ? amount : least), NO_PRICE)
}

function largest(amounts: readonly bigint[]): bigint {
  return amounts.length === 0
    ? NO_PRICE
    : amounts.reduce((most, amount) => (amount > most ? amount : most), 0n)
}

function distinct(words: readonly string[]): readonly string[] {
  return [...new Set(words)]
}
