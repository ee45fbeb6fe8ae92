import { nearest } from '@farebox/protocol/internal/problems/nearest'
import type pg from 'pg'

/**
 * Finds the possible readings of each word: the word itself, and known words with a similar spelling (insertions,
 * omissions, other letters, swapped neighbours). Undefined when no word has another reading.
 */
export async function similarWords(
  client: pg.PoolClient,
  words: readonly string[],
): Promise<readonly (readonly string[])[] | undefined> {
  const readings: (readonly string[])[] = []
  for (const word of words) readings.push([...(await nearWords(client, word)), word])
  return readings.some(ways => ways.length > 1) ? readings : undefined
}

/** Shorter words are similar to too many others; longer strings are not words. */
const FEWEST_CHARACTERS = 4
const MOST_CHARACTERS = 32
/** The minimum trigram similarity; it is low enough for two swapped letters in a word of six. */
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
