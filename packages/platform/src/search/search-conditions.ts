import type { Search, TagGroup } from './search.ts'
import { wordQuery, type Values } from './sql-values.ts'

/** How directly words match, the most direct first; a page goes through them in this order. */
export const STAGES = ['name-exact', 'name', 'capability', 'description', 'beginning', 'similar'] as const

/** Where a stage comes: the number that a cursor has. */
export function stageNumber(stage: (typeof STAGES)[number]): number {
  return STAGES.indexOf(stage)
}

/** Rows that belong together because they match alike. */
export interface Stage {
  readonly number: number
  /** SQL about `entry`: its words match so, or more directly. */
  readonly matches: (values: Values) => string
  /** The same, and no earlier stage has the row. */
  readonly matchesFirst: (values: Values) => string
  /** What must be found in the index, for an estimate: per column, the words that must all be there. */
  readonly needs: readonly Need[]
  /** An index has exactly these rows in the usual order: they are walked at once, however many they are. */
  readonly isInOrder: boolean
}

/** A word or tag that must be there, in one of its readings. */
export interface Need {
  readonly column: 'name_words' | 'capability_words' | 'all_words' | 'tags'
  readonly anyOf: readonly string[]
}

/**
 * The stages that a search goes through before it guesses; one without words has a single one. What matches in any of
 * them matches in the last as well.
 *
 * @param completions what the last word may be the beginning of, itself among them
 */
export function plainStages(search: Search, completions: readonly string[]): readonly Stage[] {
  const { words, nameKey, sort } = search
  if (words === undefined) return [stage('name-exact', { sql: () => 'true', needs: [] }, [])]
  const whole = words.map(word => [word])
  const begun = [...whole.slice(0, -1), completions]
  if (sort !== 'relevance') return [stage('beginning', wordsIn('all_words', begun), [])]
  const named: Part = {
    sql: values => `entry.name_key = ${values.bind(nameKey, 'text')}`,
    // Nothing is known of whole names, and hardly one is common.
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
 * What comes after everything that matches as it is written: words read as others that are spelled alike.
 *
 * @param completions those of the plain stages, none of whose matches comes again
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

/** What is asked for beside words. `entry` and, where a capability is named, `offer` are the tables. */
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

/** Provisional agents are left out where nobody asked for them (D36). */
export function provisionalConditions({ withProvisional }: Search): readonly string[] {
  return withProvisional ? [] : ['not entry.is_provisional']
}

/** SQL: an array of tags has one of each group. */
function tagConditions(column: string, groups: readonly TagGroup[], values: Values): readonly string[] {
  return groups.map(group => `${column} && ${values.bind(group, 'text[]')}`)
}

/** The tags that an agent must have as a whole, one of each group. */
export function filterTags(search: Search): readonly TagGroup[] {
  const one = [search.badgeTag, search.categoryTag].filter(tag => tag !== undefined)
  return [...offeredTags(search), ...one.map(tag => [tag])]
}

/** Those of them that say what it offers. */
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

/** Asked for one thing alone, the agent's own columns say it all. */
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
