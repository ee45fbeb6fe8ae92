import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import type { FieldMap, FieldType } from '@farebox/protocol/fields/field'
import type { Badge } from '@farebox/platform/src/agents/agent-row'
import { createRandom, zipfian, type Random } from './random.ts'

/** A plausible agent. */
export interface MadeUpAgent {
  readonly declaration: Declaration
  readonly badge: Badge
  readonly jobsDone: number
  readonly payers: number
  readonly isProvisional: boolean
}

/** The words of all texts, the most common first. */
export function makeVocabulary(count: number, seed: number): readonly string[] {
  const random = createRandom(seed)
  const words = new Set(COMMON)
  while (words.size < count) {
    const syllables = 2 + random.below(3)
    words.add(Array.from({ length: syllables }, () => random.pick(ONSETS) + random.pick(RIMES)).join(''))
  }
  return [...words]
}

/** Generates agents one after another, the same ones for the same seed. */
export function createAgentMaker(vocabulary: readonly string[], seed: number): () => MadeUpAgent {
  const random = createRandom(seed)
  const word = zipfian(vocabulary, random)
  const fieldName = zipfian(FIELD_NAMES, random)
  const fields = (): FieldMap =>
    Object.fromEntries(
      Array.from({ length: 1 + random.below(4) }, () => [
        fieldName(),
        { type: random.pick(FIELD_TYPES), required: true },
      ]),
    )
  const sentence = (least: number, more: number): string =>
    Array.from({ length: least + random.below(more) }, word).join(' ')
  const capability = (): Capability => ({
    description: sentence(4, 10),
    pricing: { model: 'per_job', amount: priceOf(random), currency: 'USDC' },
    input_schema: fields(),
    output_schema: fields(),
  })
  return () => {
    const capabilities = Array.from({ length: 1 + random.below(3) }, () => [
      `${word()}_${word()}`,
      capability(),
    ])
    const badge = badgeOf(random)
    const payers = badge === 'none' ? 0 : Math.floor(3 ** (random.next() * BADGE_RANK[badge] * 2)) - 1
    return {
      declaration: {
        service_version: '1.0',
        name: sentence(1, 3),
        description: sentence(8, 25),
        wallet: `0x${'ab'.repeat(20)}`,
        max_deadline_seconds: 10,
        capabilities: Object.fromEntries(capabilities),
      },
      badge,
      payers,
      jobsDone: payers * (1 + random.below(5)),
      isProvisional: random.next() < 0.03,
    }
  }
}

/** The most common words of the field. */
const COMMON = (
  'agent data text api and for the to of a with image search code translate summary your analysis price weather ' +
  'document language report market token chat video audio news email web page table query chart model risk audit'
).split(' ')

const ONSETS = 'b c d f g h k l m n p r s t v w br ch cl dr fl gr pl pr sh st th tr'.split(' ')
const RIMES = 'a e i o u an ar el en er in is on or um ate ent ine ing ion ous'.split(' ')

const FIELD_NAMES = [
  ...'text url query prompt language input file image address token amount limit format date code id name'.split(
    ' ',
  ),
  ...Array.from({ length: 400 }, (_, index) => `field_${(index + 10).toString(36)}`),
]
const FIELD_TYPES: readonly FieldType[] = [
  'string',
  'string',
  'string',
  'number',
  'integer',
  'boolean',
  'array',
  'object',
]

const BADGE_RANK: { readonly [badge in Badge]: number } = {
  none: 0,
  verified: 1,
  bronze: 2,
  silver: 3,
  gold: 4,
}

function badgeOf(random: Random): Badge {
  const drawn = random.next()
  if (drawn < 0.01) return 'gold'
  if (drawn < 0.06) return 'silver'
  if (drawn < 0.22) return 'bronze'
  return drawn < 0.75 ? 'verified' : 'none'
}

function priceOf(random: Random): string {
  const atomic = Math.max(1, Math.round(10 ** (2 + random.next() * 4.5)))
  return (atomic / 1_000_000).toFixed(6).replace(/\.?0+$/, '')
}
