import type { capabilitiesQuery } from '@farebox/platform-api/flows/capabilities'
import type { z } from 'zod'
import { Refusal } from '../../http/refusal.ts'
import type { AskedCapability } from './describe-offered.ts'

/** The most ids in one request: the maximum number of steps of a flow. */
const MOST_IDS = 200

/**
 * Reads `ids=3.summarize,4.count`; duplicates are dropped.
 *
 * @throws {Refusal} `validation`
 */
export function readCapabilityIds(query: z.infer<typeof capabilitiesQuery>): readonly AskedCapability[] {
  const { ids = '', now: _now, limit: _limit, ...others } = query
  const [other] = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (other !== undefined) throw new Refusal('validation', `${other}: is not possible together with ids`)
  const words = [...new Set(ids.split(','))]
  if (words.length > MOST_IDS) throw new Refusal('validation', `ids: must be at most ${MOST_IDS}`)
  return words.map(readOne)
}

function readOne(word: string): AskedCapability {
  const [, agentId, name] = /^([1-9]\d{0,14})\.(.+)$/s.exec(word) ?? []
  const capability = name && decode(name)
  if (capability === undefined || capability === '')
    throw new Refusal('validation', 'ids: each must be like 3.summarize, the capability in URI encoding')
  return { agentId: Number(agentId), capability }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
