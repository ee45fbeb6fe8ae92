import type { SearchQuery } from '@farebox/platform-api/search'
import type { MadeUpAgent } from './made-up-agents.ts'
import type { Random } from './random.ts'

/** One kind of query, as people and programs send it. */
export interface Kind {
  readonly name: string
  /** The share of this kind, in a hundred queries. */
  readonly share: number
  /** Pages read before the measured one. */
  readonly pagesBefore?: number
  ask(): SearchQuery
}

/** The kinds of queries, over existing agents. */
export function searchMix(
  vocabulary: readonly string[],
  sampleAgent: () => MadeUpAgent,
  random: Random,
): readonly Kind[] {
  const between = (first: number, last: number): string =>
    vocabulary[first + random.below(last - first)] ?? 'agent'
  const wordsOf = ({ declaration }: MadeUpAgent): readonly string[] => declaration.description.split(' ')
  const capability = (): string => Object.keys(sampleAgent().declaration.capabilities)[0] ?? ''
  const field = (): string => {
    const [offer] = Object.values(sampleAgent().declaration.capabilities)
    const [name = 'text', asked] = Object.entries(offer?.input_schema ?? {})[0] ?? []
    return `${asked?.type ?? 'string'}:${name}`
  }
  return [
    { name: 'no words', share: 6, ask: () => ({}) },
    { name: 'a very common word', share: 12, ask: () => ({ q: between(0, 60) }) },
    { name: 'a common word', share: 12, ask: () => ({ q: between(60, 1_000) }) },
    { name: 'a rare word', share: 12, ask: () => ({ q: between(1_000, vocabulary.length) }) },
    {
      name: 'two words of one agent',
      share: 10,
      ask: () => ({ q: pickTwo(wordsOf(sampleAgent()), random) }),
    },
    { name: 'two common words', share: 5, ask: () => ({ q: `${between(0, 200)} ${between(0, 200)}` }) },
    { name: 'the name of an agent', share: 6, ask: () => ({ q: sampleAgent().declaration.name }) },
    { name: 'a mistyped word', share: 8, ask: () => ({ q: mistype(between(200, 20_000), random) }) },
    { name: 'a beginning', share: 7, ask: () => ({ q: between(0, 3_000).slice(0, 3 + random.below(3)) }) },
    {
      name: 'a word and a badge',
      share: 3,
      ask: () => ({ q: between(0, 500), badge: random.pick(['bronze', 'silver', 'gold']) }),
    },
    { name: 'a word and a price', share: 3, ask: () => ({ q: between(0, 500), max_price: '0.001' }) },
    {
      name: 'a capability, cheapest first',
      share: 4,
      ask: () => ({ capability: capability(), sort: 'price' }),
    },
    { name: 'a field that goes in', share: 3, ask: () => ({ takes: field() }) },
    { name: 'fields in and out', share: 2, ask: () => ({ takes: field(), gives: field() }) },
    {
      name: 'a field, cheap, a word',
      share: 2,
      ask: () => ({ q: between(0, 300), takes: field(), max_price: '0.01' }),
    },
    { name: 'a word, by jobs', share: 1, ask: () => ({ q: between(0, 1_000), sort: 'jobs' }) },
    { name: 'a word, newest', share: 1, ask: () => ({ q: between(0, 1_000), sort: 'newest' }) },
    { name: 'a word, a hundred', share: 1, ask: () => ({ q: between(0, 1_000), limit: '100' }) },
    { name: 'page 30 of a common word', share: 2, pagesBefore: 29, ask: () => ({ q: between(0, 200) }) },
  ]
}

function pickTwo(words: readonly string[], random: Random): string {
  return `${random.pick(words)} ${random.pick(words)}`
}

/** Two letters swapped, one left out, one doubled, or one replaced. */
function mistype(word: string, random: Random): string {
  const at = 1 + random.below(Math.max(1, word.length - 2))
  const before = word.slice(0, at)
  const [here = '', next = ''] = word.slice(at)
  const after = word.slice(at + 1)
  switch (random.below(4)) {
    case 0:
      return before + next + here + word.slice(at + 2)
    case 1:
      return before + after
    case 2:
      return before + here + here + after
    default:
      return `${before}${here === 'e' ? 'a' : 'e'}${after}`
  }
}
