import { openSchema, type OwnSchema } from '../stage/open-database.ts'
import type { Stage } from '../stage/stage.ts'
import { fillAgents } from './fill-agents.ts'
import { createAgentMaker, makeVocabulary, type MadeUpAgent } from './made-up-agents.ts'
import { createRandom, type Random } from './random.ts'
import { searchMix, type Kind } from './search-mix.ts'

/** A platform's tables with generated agents. */
export interface FilledPlatform extends OwnSchema {
  readonly agents: number
  readonly random: Random
  /** The measured queries. */
  readonly searches: readonly Kind[]
}

const VOCABULARY = 60_000

/** Inserts a million agents; few if the stage is quick. */
export async function fillPlatform(stage: Stage): Promise<FilledPlatform> {
  const own = await openSchema(stage)
  const agents = stage.quick ? 5_000 : 1_000_000
  const vocabulary = makeVocabulary(VOCABULARY, 7)
  await fillAgents(own, agents, vocabulary, stage.tell)
  const random = createRandom(99)
  const samples: readonly MadeUpAgent[] = Array.from({ length: 5_000 }, createAgentMaker(vocabulary, 1))
  const searches = searchMix(vocabulary, () => random.pick(samples), random)
  return { ...own, agents, random, searches }
}
