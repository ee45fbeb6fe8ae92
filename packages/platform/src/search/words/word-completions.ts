import type pg from 'pg'
import type { Frequencies } from '../frequencies.ts'

/** The maximum number of completions of a word: the most common ones, then others in alphabetical order. */
const MOST_COMPLETIONS = 16
/** One or two letters are the beginning of too many words to be useful. */
const FEWEST_LETTERS = 3

/** The words of which a word may be the beginning, itself first. */
export async function completionsOf(
  client: pg.PoolClient,
  frequencies: Frequencies,
  word: string,
): Promise<readonly string[]> {
  // A character of a syllabic or logographic script says more than a letter.
  if (word.length < FEWEST_LETTERS && /^\p{Script=Latin}*$/u.test(word)) return [word]
  const { rows } = await client.query<{ word: string }>(
    `select word from search_words where word > $1 and word like $1 || '%' order by word limit ${MOST_COMPLETIONS}`,
    [word],
  )
  const known = [...frequencies.beginningWith(word, MOST_COMPLETIONS), ...rows.map(row => row.word)]
  return [...new Set([word, ...known])].slice(0, MOST_COMPLETIONS)
}
