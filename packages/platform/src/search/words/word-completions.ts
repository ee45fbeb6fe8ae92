import type pg from 'pg'
import type { Frequencies } from '../frequencies.ts'

/** How many words one is taken for the beginning of: the most common ones, then whichever there are. */
const MOST_COMPLETIONS = 16
/** One or two letters begin so many words that nothing is said with them. */
const FEWEST_LETTERS = 3

/** The words that a word may be the beginning of, itself first. */
export async function completionsOf(
  client: pg.PoolClient,
  frequencies: Frequencies,
  word: string,
): Promise<readonly string[]> {
  // A character of a script that writes syllables or words says more than a letter.
  if (word.length < FEWEST_LETTERS && /^\p{Script=Latin}*$/u.test(word)) return [word]
  const { rows } = await client.query<{ word: string }>(
    `select word from search_words where word > $1 and word like $1 || '%' order by word limit ${MOST_COMPLETIONS}`,
    [word],
  )
  const known = [...frequencies.beginningWith(word, MOST_COMPLETIONS), ...rows.map(row => row.word)]
  return [...new Set([word, ...known])].slice(0, MOST_COMPLETIONS)
}
