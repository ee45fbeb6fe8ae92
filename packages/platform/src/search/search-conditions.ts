import type { Search, TagGroup } from './search.ts'
import { wordQuery, type Values } from './sql-values.ts'

/** How directly words match, the most direct first; pages list the stages in this order. */
export const STAGES = ['name-exact', 'name', 'capability', 'description', 'beginning', 'similar'] as const

/** The number of a stage, as used in cursors. */
export function stageNumber(stage: (typeof STAGES)[number]): number {
  return STAGES.indexOf(stage)
}

/** Rows that match equally directly. */
export interface Stage {
  readonly number: number
  /** SQL on `entry`: its words match in this stage or a more direct one. */
  readonly matches: (values: Values) => string
  /** The same, excluding the rows of earlier stages. */
  readonly matchesFirst: (values: Values) => string
  /** The words that must all be in the index, for an estimate. */
  readonly needs: readonly Need[]
  /**
   * Whether an index contains exactly these rows in the usual order, so that they can be read directly, however many
   * there are.
   */
  readonly isInOrder: boolean
}

/** A word or tag that must be present in one of its readings. */
export interface Need {
  readonly column: 'name_words' | 'capability_words' | 'all_words' | 'tags'
  readonly anyOf: readonly string[]
}

/**
 * The stages of a search before it guesses; a search without words has only one. A match of any stage also matches the
 * last one.
 *
 * @param completions - the words of which the last word may be the beginning, including itself
 */
export function plainStages(search: Search, completions: readonly string[]): readonly Stage[] {
  const { words, nameKey, sort } = search
  if (words === undefined) return [stage('name-exact', { sql: () => 'true', needs: [] }, [])]
  const whole = words.map(word => [word])
  const begun = [...whole.slice(0, -1), completions]
  if (sort !== 'relevance') return [stage('beginning', wordsIn('all_words', begun), [])]
  const named: Part = {
    sql: values => `entry.name_key = ${values.bind(nameKey, 'text')}`,
    // PostgreSQL has no statistics about whole names, and hardly any name is common.
    needs: [{ column: 'name_words', anyOf: [] }],
  }
  const parts: readonly [(typeof STAGES)[number], Part][] = [
    ['name-exact', named],
    ['name', wordsIn('name_words', begun)],
    ['capability', wordsIn('capability_words', whole)],
    ['description', wordsIn('all_words', whole)],
    ['beginning', wordsIn('all_words', begun)],
  ]
  return parts.map(([name, part], index) =>
    stage(
      name,
      part,
      parts.slice(0, index).map(([, earlier]) => earlier),
    ),
  )
}

/**
 * The stage after all exact matches: words are also read as others with a similar spelling.
 *
 * @param completions - those of the plain stages, whose matches are excluded
 */
export function similarStage(
  search: Search,
  readings: readonly (readonly string[])[],
  completions: readonly string[],
): Stage {
  const whole = (search.words ?? []).map(word => [word])
  const begun = [...whole.slice(0, -1), completions]
  return stage('similar', wordsIn('all_words', readings), [wordsIn('all_words', begun)])
}

/** The conditions of a search besides its words, on the tables `entry` and, when a capability is named, `offer`. */
export function filterConditions(search: Search, values: Values): readonly string[] {
  const { capabilityKey } = search
  const conditions: string[] = [...tagConditions('entry.tags', filterTags(search), values)]
  if (capabilityKey !== undefined) return [...conditions, ...offerConditions(search, values)]
  conditions.push(...priceConditions(search, values))
  if (isAboutOneOffer(search)) {
    const sameOffer = ['offer.agent_id = entry.agent_id', ...offerConditions(search, values)]
    conditions.push(`exists (select from search_capabilities offer where ${sameOffer.join(' and ')})`)
  }
  return conditions
}

/** Excludes provisional agents unless the search includes them (D36). */
export function provisionalConditions({ withProvisional }: Search): readonly string[] {
  return withProvisional ? [] : ['not entry.is_provisional']
}

/** SQL: an array of tags contains at least one of each group. */
function tagConditions(column: string, groups: readonly TagGroup[], values: Values): readonly string[] {
  return groups.map(group => `${column} && ${values.bind(group, 'text[]')}`)
}

/** The tags that an agent must have, at least one of each group. */
export function filterTags(search: Search): readonly TagGroup[] {
  const one = [search.badgeTag, search.categoryTag].filter(tag => tag !== undefined)
  return [...offeredTags(search), ...one.map(tag => [tag])]
}

/** The subset of these tags that concerns the agent's capabilities. */
export function offeredTags({ capabilityKey, fieldTags }: Search): readonly TagGroup[] {
  return [...(capabilityKey === undefined ? [] : [[`capability=${capabilityKey}`]]), ...fieldTags]
}

interface Part {
  readonly sql: (values: Values) => string
  readonly needs: readonly Need[]
}

function stage(name: (typeof STAGES)[number], part: Part, earlier: readonly Part[]): Stage {
  return {
    number: stageNumber(name),
    matches: part.sql,
    matchesFirst: values =>
      [part.sql(values), ...earlier.map(({ sql }) => `not (${sql(values)})`)].join(' and '),
    needs: part.needs,
    isInOrder: name === 'name-exact' && part.needs.length > 0,
  }
}

function wordsIn(
  column: 'name_words' | 'capability_words' | 'all_words',
  readings: readonly (readonly string[])[],
): Part {
  return {
    sql: values => `entry.${column} @@ ${values.bind(wordQuery(readings), 'tsquery')}`,
    needs: readings.map(anyOf => ({ column, anyOf })),
  }
}

function priceConditions({ minPriceAtomic, maxPriceAtomic }: Search, values: Values): readonly string[] {
  const conditions: string[] = []
  if (minPriceAtomic !== undefined)
    conditions.push(`entry.max_price_atomic >= ${values.bind(minPriceAtomic, 'bigint')}`)
  if (maxPriceAtomic !== undefined)
    conditions.push(`entry.min_price_atomic <= ${values.bind(maxPriceAtomic, 'bigint')}`)
  return conditions.length === 0 ? [] : [...conditions, 'not entry.is_provisional']
}

/**
 * Whether all conditions must hold for the same capability. With a single condition, the agent's own columns are
 * sufficient.
 */
function isAboutOneOffer({ fieldTags, minPriceAtomic, maxPriceAtomic }: Search): boolean {
  return [...fieldTags, minPriceAtomic, maxPriceAtomic].filter(asked => asked !== undefined).length > 1
}

function offerConditions(
  { fieldTags, minPriceAtomic, maxPriceAtomic }: Search,
  values: Values,
): readonly string[] {
  const conditions: string[] = [...tagConditions('offer.tags', fieldTags, values)]
  if (minPriceAtomic !== undefined)
    conditions.push(`offer.price_atomic >= ${values.bind(minPriceAtomic, 'bigint')}`)
  if (maxPriceAtomic !== undefined)
    conditions.push(`offer.price_atomic <= ${values.bind(maxPriceAtomic, 'bigint')}`)
  return conditions
}
