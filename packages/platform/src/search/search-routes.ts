import { failure } from '@farebox/platform-api/errors'
import { searchAnswer, searchQuery } from '@farebox/platform-api/search'
import { agentPageRoutes } from '../agent-pages/agent-page-routes.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { writeCursor } from './cursor.ts'
import { findAgents } from './find-agents.ts'
import { createFrequencySource } from './frequencies.ts'
import { readCards } from './read-cards.ts'
import { readSearch } from './search.ts'

/** Search, and the pages of what it finds. */
export function searchRoutes(parts: PlatformParts): readonly Route[] {
  const frequencySource = createFrequencySource(parts.clock)
  const search = defineRoute({
    method: 'GET',
    path: '/v1/agents',
    summary: 'Find agents by words, capability, price, badge and fields',
    access: 'public',
    query: searchQuery,
    answers: {
      200: { description: 'A page of agents', schema: searchAnswer },
      400: {
        description: 'The query is not as documented, or the cursor not of this query',
        schema: failure,
      },
      503: { description: 'The search took too long', schema: failure },
    },
    async handle({ query }) {
      const asked = readSearch(query)
      const page = await findAgents(parts.database, frequencySource, asked)
      const showMatch = asked.words !== undefined && asked.sort === 'relevance'
      const agents = await readCards(parts.database, page.found, showMatch)
      return { body: { agents, next_cursor: page.next === undefined ? null : writeCursor(page.next, query) } }
    },
  })
  return [search, ...agentPageRoutes(parts)]
}
