import { parseJson } from '@farebox/protocol/internal/guards/json'
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { Refusal } from '../http/refusal.ts'

/** Where a page ended: the next one begins right behind. Nothing in it depends on a row that still has to be there. */
export interface Place {
  /** How directly the words matched: the number of a stage. */
  readonly stage: number
  /** What it is sorted by; an integer, the smaller the earlier. */
  readonly key: string
  /** Between equals. */
  readonly position: string
  /** What words were taken for: of guesses every one, otherwise the last, which may be a beginning. Null without words. */
  readonly readings: readonly (readonly string[])[] | null
}

/** A query, of which `cursor` and `limit` do not say what is looked for. */
export interface PagedQuery {
  readonly [name: string]: unknown
}

/** Writes a place so that it goes with this query alone. */
export function writeCursor(place: Place, query: PagedQuery): string {
  return sealCursor([place.stage, place.key, place.position, place.readings], query)
}

/**
 * Reads what {@link writeCursor} wrote for the same query; how many a page holds may change.
 *
 * Throws a {@link Refusal} `validation` for anything else, as for a place that a search without words does not have.
 */
export function readCursor(cursor: string, query: PagedQuery, hasWords: boolean): Place {
  const [stage, key, position, readings] = openCursor(cursor, query, placeTuple)
  if (hasWords !== (readings !== null) || (!hasWords && stage !== 0)) throw refuse()
  return { stage, key, position, readings }
}

/** Writes JSON so that it goes with this query alone. */
export function sealCursor(place: unknown, query: PagedQuery): string {
  const content = JSON.stringify(place)
  return Buffer.from(checksum(content, query) + content).toString('base64url')
}

/**
 * Reads what {@link sealCursor} wrote for the same query. A checksum, not a signature: whoever computes it gets to a
 * place that any query could have reached.
 *
 * Throws a {@link Refusal} `validation` for anything else.
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

/** An integer that PostgreSQL has room for, as text. */
export const cursorInteger = z.string().regex(/^(?:0|-?[1-9]\d{0,17}|9223372036854775807)$/)
const WORD = z.string().regex(/^[\p{L}\p{N}\p{M}]{1,40}$/u)

/** A {@link Place} as a cursor has it. */
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
