import { nearest } from '@farebox/protocol/internal/problems/nearest'
import type pg from 'pg'

/**
 * For each word the ways to read it: itself, and known words that are spelled nearly so (insertions, omissions, other
 * letters, swapped neighbours). Undefined where there is no other way to read any.
 */
export async function similarWords(
  client: pg.PoolClient,
  words: readonly string[],
): Promise<readonly (readonly string[])[] | undefined> {
  const readings: (readonly string[])[] = []
  for (const word of words) readings.push([...(await nearWords(client, word)), word])
  return readings.some(ways => ways.length > 1) ? readings : undefined
}

/** Shorter ones are near to everything, longer ones are no words. */
const FEWEST_CHARACTERS = 4
const MOST_CHARACTERS = 32
/** How alike in groups of three letters: low enough for two swapped letters in a word of six. */
const LEAST_SIMILARITY = 0.2
const MOST_CANDIDATES = 40
const MOST_READINGS = 3

async function nearWords(client: pg.PoolClient, word: string): Promise<readonly string[]> {
  if (word.length < FEWEST_CHARACTERS || word.length > MOST_CHARACTERS) return []
  await client.query(`set local pg_trgm.similarity_threshold = ${LEAST_SIMILARITY}`)
  const { rows } = await client.query<{ word: string }>(
    `select word from search_words where word % $1
     order by public.similarity(word, $1) desc, word limit ${MOST_CANDIDATES}`,
    [word],
  )
  const candidates = new Set(rows.map(row => row.word))
  const found: string[] = []
  while (found.length < MOST_READINGS) {
    const next = nearest(word, candidates)
    if (next === undefined) break
    candidates.delete(next)
    found.push(next)
  }
  return found
}
