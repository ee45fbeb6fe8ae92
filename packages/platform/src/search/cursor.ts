import { createHash } from 'node:crypto'
import type { SearchQuery } from '@farebox/platform-api/search'
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

/** Writes a place so that it goes with this query alone. */
export function writeCursor(place: Place, query: SearchQuery): string {
  const content = JSON.stringify([place.stage, place.key, place.position, place.readings])
  return Buffer.from(checksum(content, query) + content).toString('base64url')
}

/**
 * Reads what {@link writeCursor} wrote for the same query; how many a page holds may change. A checksum, not a signature:
 * whoever computes it gets to a place that any query could have reached.
 *
 * Throws a {@link Refusal} `validation` for anything else.
 */
export function readCursor(cursor: string, query: SearchQuery): Place {
  const bytes = Buffer.from(cursor, 'base64url')
  const text = bytes.toString('utf8')
  const content = text.slice(CHECKSUM_CHARACTERS)
  const isOurs =
    bytes.toString('base64url') === cursor && text.slice(0, CHECKSUM_CHARACTERS) === checksum(content, query)
  if (!isOurs) throw refuse()
  const place = PLACE.safeParse(parseJson(content))
  if (!place.success) throw refuse()
  const [stage, key, position, readings] = place.data
  return { stage, key, position, readings }
}

const CHECKSUM_CHARACTERS = 22

const INTEGER = z.string().regex(/^(?:0|-?[1-9]\d{0,17}|9223372036854775807)$/)
const WORD = z.string().regex(/^[\p{L}\p{N}\p{M}]{1,40}$/u)

const PLACE = z.tuple([
  z.number().int().min(0).max(9),
  INTEGER,
  INTEGER,
  z.array(z.array(WORD).min(1).max(16)).min(1).max(8).nullable(),
])

function checksum(content: string, query: SearchQuery): string {
  const { cursor: _cursor, limit: _limit, ...rest } = query
  const asked = Object.entries(rest).filter(([, value]) => value !== undefined)
  const canonical = JSON.stringify([asked.sort(([one], [other]) => (one < other ? -1 : 1)), content])
  return createHash('sha256').update(canonical).digest('base64url').slice(0, CHECKSUM_CHARACTERS)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function refuse(): Refusal {
  return new Refusal(
    'validation',
    'cursor: must be the next_cursor of the page before, asked with the same words and filters',
  )
}
