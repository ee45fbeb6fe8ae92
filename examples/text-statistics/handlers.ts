import type { CountInput, CountOutput, FrequentInput, FrequentOutput, Handlers } from './agent.d.ts'

const WORD = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu

const SMALL_WORDS = new Set(
  'a about an and are as at be but by for from had has have he her his i in is it its not of on or our she so that the their they this to was we were which with you'.split(
    ' ',
  ),
)

/** Words, sentences and characters as a reader would count them. */
function count({ text, words_per_minute }: CountInput): CountOutput {
  const words = text.match(WORD)?.length ?? 0
  const sentences = [...new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)].filter(
    ({ segment }) => segment.trim() !== '',
  ).length
  const characters = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)].length
  return { words, sentences, characters, reading_seconds: Math.round((words * 600) / words_per_minute) / 10 }
}

/** The most used words first; words used equally often in alphabetical order, so that the answer is always the same. */
function frequent({ text, top }: FrequentInput): FrequentOutput {
  const counts = new Map<string, number>()
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    if (!SMALL_WORDS.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const words = [...counts]
    .map(([word, count]) => ({ word, count }))
    .sort((one, other) => other.count - one.count || one.word.localeCompare(other.word))
  return { words: words.slice(0, top) }
}

export default { count, frequent } satisfies Handlers
