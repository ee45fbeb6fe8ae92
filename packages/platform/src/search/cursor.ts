import { parseJson } from '@farebox/protocol/internal/guards/json'
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { Refusal } from '../http/refusal.ts'

/** The end of a page, right after which the next page begins. It does not depend on the existence of any row. */
export interface Place {
  /** The number of the stage, which states how directly the words matched. */
  readonly stage: number
  /** The sort key, an integer. */
  readonly key: string
  /** Orders rows with the same key. */
  readonly position: string
  /**
   * The readings of the words: for guesses those of every word, otherwise those of the last word, which may be the
   * beginning of others. Null without words.
   */
  readonly readings: readonly (readonly string[])[] | null
}

/** A query; `cursor` and `limit` do not belong to its search conditions. */
export interface PagedQuery {
  readonly [name: string]: unknown
}

/** Encodes a place as a cursor that is valid for this query only. */
export function writeCursor(place: Place, query: PagedQuery): string {
  return sealCursor([place.stage, place.key, place.position, place.readings], query)
}

/**
 * Decodes a cursor written by {@link writeCursor} for the same query; the page size may differ.
 *
 * Throws a {@link Refusal} `validation` for any other cursor, and for a place that a search without words cannot have.
 */
export function readCursor(cursor: string, query: PagedQuery, hasWords: boolean): Place {
  const [stage, key, position, readings] = openCursor(cursor, query, placeTuple)
  if (hasWords !== (readings !== null) || (!hasWords && stage !== 0)) throw refuse()
  return { stage, key, position, readings }
}

/** Encodes JSON as a cursor that is valid for this query only. */
export function sealCursor(place: unknown, query: PagedQuery): string {
  const content = JSON.stringify(place)
  return Buffer.from(checksum(content, query) + content).toString('base64url')
}

/**
 * Decodes a cursor written by {@link sealCursor} for the same query. It contains a checksum, not a signature: a caller
 * who forges one reaches only a place that an ordinary query could reach.
 *
 * Throws a {@link Refusal} `validation` for any other cursor.
 */
export function openCursor<T>(cursor: string, query: PagedQuery, schema: z.ZodType<T>): T {
  const bytes = Buffer.from(cursor, 'base64url')
  const text = bytes.toString('utf8')
  const content = text.slice(CHECKSUM_CHARACTERS)
  const isOurs =
    bytes.toString('base64url') === cursor && text.slice(0, CHECKSUM_CHARACTERS) === checksum(content, query)
  const place = isOurs ? schema.safeParse(parseJson(content)) : undefined
  if (place?.success !== true) throw refuse()
  return place.data
}

const CHECKSUM_CHARACTERS = 22

/** An integer in the range of PostgreSQL's bigint, as text. */
export const cursorInteger = z.string().regex(/^(?:0|-?[1-9]\d{0,17}|9223372036854775807)$/)
const WORD = z.string().regex(/^[\p{L}\p{N}\p{M}]{1,40}$/u)

/** A {@link Place} in the form stored in a cursor. */
export const placeTuple = z.tuple([
  z.number().int().min(0).max(9),
  cursorInteger,
  cursorInteger,
  z.array(z.array(WORD).min(1).max(16)).min(1).max(8).nullable(),
])

function checksum(content: string, query: PagedQuery): string {
  const { cursor: _cursor, limit: _limit, ...rest } = query
  const asked = Object.entries(rest).filter(([, value]) => value !== undefined)
  const canonical = JSON.stringify([asked.sort(([one], [other]) => (one < other ? -1 : 1)), content])
  return createHash('sha256').update(canonical).digest('base64url').slice(0, CHECKSUM_CHARACTERS)
}

function refuse(): Refusal {
  return new Refusal(
    'validation',
    'cursor: must be the next_cursor of the page before, asked with the same words and filters',
  )
}
