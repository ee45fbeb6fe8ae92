import { z } from 'zod'
import {
  cursorInteger,
  openCursor,
  placeTuple,
  sealCursor,
  type PagedQuery,
  type Place,
} from '../../search/cursor.ts'
import type { Found } from '../../search/collect-matches.ts'

/** The sort key of an agent: how directly the words match, then its standing, then its position. */
export type AgentOrder = Pick<Found, 'stage' | 'key' | 'position'>

/** The sort key of a capability among those of one group of agents. */
export interface CapabilityOrder extends AgentOrder {
  /** The index of its best grade; a lower one fits better. */
  readonly grade: number
  readonly wordRank: number
  readonly ordinal: number
}

/** The position at which a page of capabilities begins. */
export interface CapabilityPlace {
  /** The group of agents is taken after this place in the agent search; `undefined`: from the first. */
  readonly agentsAfter: Place | undefined
  /** Within the group, only agents after this one are used; `undefined`: from the first. */
  readonly agentsFrom: AgentOrder | undefined
  /** The number of agents in the group; `undefined`: as many as can be graded. */
  readonly agents: number | undefined
  /** Of their capabilities, only those after this one are returned; `undefined`: all. */
  readonly after: CapabilityOrder | undefined
}

const BEGINNING: CapabilityPlace = {
  agentsAfter: undefined,
  agentsFrom: undefined,
  agents: undefined,
  after: undefined,
}

/** Encodes a place as a cursor that is valid only for this query. */
export function writeCapabilityPlace(
  { agentsAfter, agentsFrom, agents, after }: CapabilityPlace,
  query: PagedQuery,
): string {
  const place = agentsAfter && [
    agentsAfter.stage,
    agentsAfter.key,
    agentsAfter.position,
    agentsAfter.readings,
  ]
  const from = agentsFrom && [agentsFrom.stage, agentsFrom.key, agentsFrom.position]
  const behind = after && [after.grade, after.stage, after.key, after.position, after.wordRank, after.ordinal]
  return sealCursor([place ?? null, from ?? null, agents ?? null, behind ?? null], query)
}

/**
 * Decodes a cursor of {@link writeCapabilityPlace} for the same query; without a cursor, the first place.
 *
 * @throws {Refusal} `validation` for an invalid cursor
 */
export function readPlace(cursor: string | undefined, query: PagedQuery): CapabilityPlace {
  if (cursor === undefined) return BEGINNING
  const [place, from, agents, behind] = openCursor(cursor, query, TUPLE)
  return {
    agentsAfter:
      place === null ? undefined : { stage: place[0], key: place[1], position: place[2], readings: place[3] },
    agentsFrom: from === null ? undefined : { stage: from[0], key: from[1], position: from[2] },
    agents: agents ?? undefined,
    after:
      behind === null
        ? undefined
        : {
            grade: behind[0],
            stage: behind[1],
            key: behind[2],
            position: behind[3],
            wordRank: behind[4],
            ordinal: behind[5],
          },
  }
}

const SMALL = z.number().int().min(0).max(1_000)
const TUPLE = z.tuple([
  placeTuple.nullable(),
  z.tuple([SMALL, cursorInteger, cursorInteger]).nullable(),
  SMALL.nullable(),
  z.tuple([SMALL, SMALL, cursorInteger, cursorInteger, SMALL, SMALL]).nullable(),
])

/** A comparison function: negative when `one` comes first. */
export function compareAgents(one: AgentOrder, other: AgentOrder): number {
  return one.stage - other.stage || fall(one.key, other.key) || fall(one.position, other.position)
}

/** A comparison function: negative when `one` comes first. */
export function compareCapabilities(one: CapabilityOrder, other: CapabilityOrder): number {
  return (
    one.grade - other.grade ||
    compareAgents(one, other) ||
    one.wordRank - other.wordRank ||
    one.ordinal - other.ordinal
  )
}

/** Compares decimal integers in descending order. */
function fall(one: string, other: string): number {
  const [first, second] = [BigInt(one), BigInt(other)]
  return first === second ? 0 : first > second ? -1 : 1
}
