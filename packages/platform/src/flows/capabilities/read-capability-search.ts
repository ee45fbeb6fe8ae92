import type { capabilitiesQuery } from '@farebox/platform-api/flows/capabilities'
import { compatible } from '@farebox/protocol/compatibility/compatible'
import { FIELD_KEYWORDS, isFieldType, type FieldType } from '@farebox/protocol/fields/field'
import { objectOf, parseJson } from '@farebox/protocol/internal/guards/json'
import type { z } from 'zod'
import type { CapabilityQuestion } from '../../checking/flows/find-fitting.ts'
import { Refusal } from '../../http/refusal.ts'
import { fieldTag } from '../../listing/describe-entry.ts'
import { readSearch, type Search, type TagGroup } from '../../search/search.ts'
import { readPlace, type CapabilityPlace } from './capability-place.ts'

/** A parsed search: the agents to search, and the conditions on their capabilities. */
export interface CapabilitySearch {
  readonly agents: Search
  readonly question: CapabilityQuestion
  readonly limit: number
  readonly from: CapabilityPlace
  /** The checked query; a cursor is valid for this query only. */
  readonly query: z.infer<typeof capabilitiesQuery>
}

/**
 * Reads a checked query. Of a field only the type is read here; a thread checks the rest.
 *
 * @throws {Refusal} `validation`
 */
export function readCapabilitySearch(query: z.infer<typeof capabilitiesQuery>): CapabilitySearch {
  const { q, max_price, accepts, gives, limit, cursor } = query
  if (accepts !== undefined && gives !== undefined)
    throw new Refusal('validation', 'gives: is not possible together with accepts')
  const search = readSearch({ q, max_price })
  const fit = readFit(accepts, gives)
  return {
    agents: { ...search, fieldTags: fit === undefined ? [] : [fit.tags] },
    question: {
      ...(search.words !== undefined && { words: search.words }),
      ...(search.maxPriceAtomic !== undefined && { maxPriceAtomic: search.maxPriceAtomic }),
      ...(fit !== undefined && { fit: { side: fit.side, field: fit.field } }),
    },
    limit,
    from: readPlace(cursor, query),
    query,
  }
}

interface Fit {
  readonly side: 'input' | 'output'
  readonly field: string
  /** A capability must have at least one of these tags. */
  readonly tags: TagGroup
}

function readFit(accepts: string | undefined, gives: string | undefined): Fit | undefined {
  if (accepts !== undefined) {
    const from = typeOf('accepts', accepts)
    const fed = TYPES.filter(to => canFeed(from, to))
    return { side: 'input', field: accepts, tags: fed.map(type => fieldTag('takes', type, '')) }
  }
  if (gives === undefined) return undefined
  const to = typeOf('gives', gives)
  const feeding = TYPES.filter(from => canFeed(from, to))
  return { side: 'output', field: gives, tags: feeding.map(type => fieldTag('gives', type, '')) }
}

const TYPES = Object.keys(FIELD_KEYWORDS).filter(isFieldType)

function canFeed(from: FieldType, to: FieldType): boolean {
  return compatible({ type: from }, { type: to }).grade !== 'impossible'
}

function typeOf(name: string, text: string): FieldType {
  const { type } = objectOf(parseJson(text))
  if (typeof type === 'string' && isFieldType(type)) return type
  throw new Refusal('validation', `${name}: must be a field as JSON, like {"type":"string"}`)
}
