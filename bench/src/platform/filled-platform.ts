import { randomBytes } from 'node:crypto'
import { openStorage } from '@farebox/platform/storage/open-storage'
import { openDatabase } from '../stage/open-database.ts'
import type { Stage } from '../stage/stage.ts'
import { withDatabase } from '../stage/start-facilitator.ts'
import { fillAgents } from './fill-agents.ts'
import { createAgentMaker, makeVocabulary, type MadeUpAgent } from './made-up-agents.ts'
import { createRandom, type Random } from './random.ts'
import { searchMix, type Kind } from './search-mix.ts'

/** A platform's tables with made-up agents, in a schema that is dropped when the scene ends. */
export interface FilledPlatform {
  readonly connectionString: string
  readonly schema: string
  readonly agents: number
  readonly random: Random
  /** The questions that are asked of it. */
  readonly searches: readonly Kind[]
}

const VOCABULARY = 60_000

/** Fills in a million agents; few where the stage is quick. */
export async function fillPlatform(stage: Stage): Promise<FilledPlatform> {
  const { connectionString, schema } = await openSchema(stage)
  const agents = stage.quick ? 5_000 : 1_000_000
  const vocabulary = makeVocabulary(VOCABULARY, 7)
  await fillAgents({ connectionString, schema, agents, vocabulary, tell: stage.tell })
  const random = createRandom(99)
  const samples: readonly MadeUpAgent[] = Array.from({ length: 5_000 }, createAgentMaker(vocabulary, 1))
  const searches = searchMix(vocabulary, () => random.pick(samples), random)
  return { connectionString, schema, agents, random, searches }
}

/** An empty schema with the platform's tables, dropped when the scene ends. */
export async function openSchema(stage: Stage): Promise<Pick<FilledPlatform, 'connectionString' | 'schema'>> {
  const database = await openDatabase(stage)
  const schema = `farebox_bench_${randomBytes(6).toString('hex')}`
  stage.onStrike(() =>
    withDatabase(database, client => client.query(`drop schema if exists ${schema} cascade`)),
  )
  const storage = await openStorage({ connectionString: database.url, schema })
  await storage.pool.end()
  return { connectionString: database.url, schema }
}
