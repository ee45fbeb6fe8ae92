import { failure } from '@farebox/platform-api/errors'
import { capabilitiesAnswer, capabilitiesQuery } from '@farebox/platform-api/flows/capabilities'
import { callerKey } from '../../http/caller-key.ts'
import { Refusal } from '../../http/refusal.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { createAskNow } from '../../monitor/ask/ask-now.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { createFrequencySource } from '../../search/frequencies.ts'
import { describeOffered } from './describe-offered.ts'
import { findCapabilities } from './find-capabilities.ts'
import { readCapabilityIds } from './read-capability-ids.ts'
import { readCapabilitySearch } from './read-capability-search.ts'

/** High, because a page that searches while the user types sends a request for each key. */
const SEARCHES_PER_MINUTE = 600

/** The route that finds capabilities for the steps of a flow. */
export function capabilitiesRoute(parts: PlatformParts): Route {
  const memory = {
    frequencies: createFrequencySource(parts.clock),
    // The answer contains no counts.
    counter: { count: () => undefined },
  }
  const askNow = createAskNow(parts)
  return defineRoute({
    method: 'GET',
    path: '/v1/capabilities',
    summary:
      'Find what steps of a flow can be, by words, price, and what one takes or gives; ' +
      'so many agents are looked at for a page, which may be short or empty while more follow',
    access: 'public',
    query: capabilitiesQuery,
    perMinute: SEARCHES_PER_MINUTE,
    answers: {
      200: { description: 'A page of capabilities', schema: capabilitiesAnswer },
      400: {
        description: 'The query is not as documented, or the cursor not of this query',
        schema: failure,
      },
      503: { description: 'The search took too long, or too many checks are running', schema: failure },
    },
    async handle({ query, caller }) {
      const { database } = parts
      if (query.ids !== undefined) {
        const asked = readCapabilityIds(query)
        const capabilities = await describeOffered(database, asked, query.now === 'true' ? askNow : undefined)
        return { body: { capabilities, next_cursor: null } }
      }
      if (query.now !== undefined) throw new Refusal('validation', 'now: is possible only together with ids')
      const search = readCapabilitySearch(query)
      const found = await findCapabilities(parts, { memory, search, owner: callerKey(caller.ip) })
      const capabilities = await describeOffered(database, found.capabilities)
      return {
        body: {
          // Leaves out agents that became unavailable during the request.
          capabilities: capabilities.filter(({ state }) => state === 'online'),
          next_cursor: found.next ?? null,
        },
      }
    },
  })
}
