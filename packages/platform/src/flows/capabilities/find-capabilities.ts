import { GRADES, type FittingCapability } from '../../checking/flows/find-fitting.ts'
import { Refusal } from '../../http/refusal.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import type { Found } from '../../search/collect-matches.ts'
import type { Place } from '../../search/cursor.ts'
import { findAgents, type SearchMemory } from '../../search/find-agents.ts'
import {
  compareAgents,
  compareCapabilities,
  writeCapabilityPlace,
  type CapabilityOrder,
  type CapabilityPlace,
} from './capability-place.ts'
import { refuseBusy } from '../refuse-busy.ts'
import { readDeclarations } from './read-declarations.ts'
import type { CapabilitySearch } from './read-capability-search.ts'

/** The number of agents that are graded as one group; the best fits of a group come first. */
const AGENTS_TOGETHER = 50
const AGENTS_TOGETHER_TO_FIT = 200
/** The most groups graded for one page. */
const MOST_ROUNDS = 3
/**
 * Time limits of grading, in milliseconds: no further agent is started after this time. The second one applies when a page
 * continues within a group, because that group must be graded completely again.
 */
const GRADING_MS = 400
const GRADING_AGAIN_MS = 4_000

/** A page of capabilities. */
export interface FoundCapabilities {
  readonly capabilities: readonly FittingCapability[]
  /** The cursor of the next page; `undefined` on the last one. */
  readonly next: string | undefined
}

/**
 * Finds capabilities, the best match first. Agents are taken in the order of the agent search, in groups; within a group
 * the best fit comes first. The number of groups per page is limited, so a page may be short without being the last.
 *
 * @param asked.owner the name under which the checks are queued
 * @throws {Refusal} `validation` for an invalid field, `unavailable` when too many checks are running
 */
export async function findCapabilities(
  parts: Pick<PlatformParts, 'database' | 'checker'>,
  asked: { readonly memory: SearchMemory; readonly search: CapabilitySearch; readonly owner: string },
): Promise<FoundCapabilities> {
  const { search } = asked
  const shown: Ordered[] = []
  let place: CapabilityPlace | undefined = search.from
  for (let round = 0; place !== undefined && round < MOST_ROUNDS && shown.length < search.limit; round += 1) {
    const { agents, matching, next } = await lookAtSome(parts, asked, place)
    const page = matching.slice(0, search.limit - shown.length)
    shown.push(...page)
    if (page.length < matching.length) {
      place = { ...place, agents, after: page.at(-1)?.order ?? place.after }
      break
    }
    place = next
  }
  return {
    capabilities: shown.map(({ capability }) => capability),
    next: place && writeCapabilityPlace(place, search.query),
  }
}

interface Ordered {
  readonly capability: FittingCapability
  readonly order: CapabilityOrder
}

interface Looked {
  /** The number of agents that were graded. */
  readonly agents: number
  /** The capabilities after the place, in order. */
  readonly matching: readonly Ordered[]
  /** The place of the next group of agents; `undefined` when there are none. */
  readonly next: CapabilityPlace | undefined
}

async function lookAtSome(
  { database, checker }: Pick<PlatformParts, 'database' | 'checker'>,
  { memory, search, owner }: Parameters<typeof findCapabilities>[1],
  place: CapabilityPlace,
): Promise<Looked> {
  const { question } = search
  const limit = question.fit === undefined ? AGENTS_TOGETHER : AGENTS_TOGETHER_TO_FIT
  const page = await findAgents(database, memory, { ...search.agents, limit, after: place.agentsAfter })
  const { agentsFrom } = place
  const behind = page.found.filter(agent => agentsFrom === undefined || compareAgents(agent, agentsFrom) > 0)
  const wanted = behind.slice(0, place.agents)
  const read = await readDeclarations(
    database,
    wanted.map(({ agentId }) => agentId),
  )
  const given = {
    agents: read.declarations,
    question,
    timeMs: place.agents === undefined ? GRADING_MS : GRADING_AGAIN_MS,
  }
  const fitting = await checker.run('fitting', given, `capabilities of ${owner}`).catch(refuseBusy)
  if (!fitting.ok)
    throw new Refusal(
      'validation',
      `${question.fit?.side === 'output' ? 'gives' : 'accepts'}: ${fitting.reason}`,
    )
  const agents = countLooked(wanted, read, fitting.examined)
  return {
    agents,
    matching: inOrder(fitting.found, wanted).filter(
      ({ order }) => place.after === undefined || compareCapabilities(order, place.after) > 0,
    ),
    next: behindThese(place, wanted.slice(0, agents), agents < behind.length, page.next),
  }
}

/** The number of agents covered, including those without a declaration because they cannot be paid. */
function countLooked(
  wanted: readonly Found[],
  { declarations, looked }: Awaited<ReturnType<typeof readDeclarations>>,
  examined: number,
): number {
  const first = declarations[examined]
  if (first === undefined) return looked
  return wanted.findIndex(({ agentId }) => agentId === String(first.agentId))
}

function behindThese(
  place: CapabilityPlace,
  looked: readonly Found[],
  areMore: boolean,
  next: Place | undefined,
): CapabilityPlace | undefined {
  const last = looked.at(-1)
  if (areMore && last !== undefined) {
    const { stage, key, position } = last
    return { ...place, agentsFrom: { stage, key, position }, agents: undefined, after: undefined }
  }
  return next && { agentsAfter: next, agentsFrom: undefined, agents: undefined, after: undefined }
}

function inOrder(found: readonly FittingCapability[], agents: readonly Found[]): readonly Ordered[] {
  const byId = new Map(agents.map(agent => [agent.agentId, agent]))
  return found
    .flatMap(capability => {
      const agent = byId.get(String(capability.agentId))
      if (agent === undefined) return []
      const { fits, wordRank, ordinal } = capability
      const [best] = fits
      const grade = best === undefined ? 0 : GRADES.indexOf(best.grade)
      const { stage, key, position } = agent
      return [{ capability, order: { grade, stage, key, position, wordRank, ordinal } }]
    })
    .toSorted((one, other) => compareCapabilities(one.order, other.order))
}
