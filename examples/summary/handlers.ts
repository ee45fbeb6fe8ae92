import type { SummarizeInput, SummarizeOutput } from './agent.d.ts'

const WORD = /[\p{L}\p{N}]{4,}/gu

/** How much more a sentence counts for a word the caller named. */
const FOCUS_WEIGHT = 5

/**
 * Extractive summary: a word is worth how often the text uses it, a sentence the mean of its words, and the best
 * sentences stay in their order. Nothing is invented, so nothing can be wrong that was not wrong before.
 */
export default function summarize({ text, sentences: wanted, focus = [] }: SummarizeInput): SummarizeOutput {
  const sentences = [...new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)]
    .map(({ segment }) => segment.trim())
    .filter(sentence => sentence !== '')
  const worth = wordWorth(text, focus)
  const best = sentences
    .map((sentence, index) => ({ sentence, index, score: score(sentence, worth) }))
    .sort((one, other) => other.score - one.score || one.index - other.index)
    .slice(0, wanted)
    .sort((one, other) => one.index - other.index)
    .map(({ sentence }) => sentence)
  const summary = best.join(' ')
  return {
    summary,
    sentences: best,
    kept: Math.min(1, Math.round((summary.length / text.length) * 100) / 100),
  }
}

function wordWorth(text: string, focus: readonly string[]): ReadonlyMap<string, number> {
  const worth = new Map<string, number>()
  for (const [word] of text.toLowerCase().matchAll(WORD)) worth.set(word, (worth.get(word) ?? 0) + 1)
  for (const word of focus) worth.set(word.toLowerCase(), (worth.get(word.toLowerCase()) ?? 0) + FOCUS_WEIGHT)
  return worth
}

function score(sentence: string, worth: ReadonlyMap<string, number>): number {
  const words = sentence.toLowerCase().match(WORD) ?? []
  if (words.length === 0) return 0
  return words.reduce((sum, word) => sum + (worth.get(word) ?? 0), 0) / words.length
}
