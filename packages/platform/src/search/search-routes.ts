import { failure } from '@farebox/platform-api/errors'
import { searchAnswer, searchQuery } from '@farebox/platform-api/search'
import { agentPageRoutes } from '../agent-pages/agent-page-routes.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { createMatchCounter } from './count-matches.ts'
import { writeCursor } from './cursor.ts'
import { findAgents } from './find-agents.ts'
import { createFrequencySource } from './frequencies.ts'
import { readCards } from './read-cards.ts'
import { readSearch } from './search.ts'

/** High enough for a page that searches after each keystroke. */
const SEARCHES_PER_MINUTE = 600

/** The routes for search, and for the pages of the agents found. */
export function searchRoutes(parts: PlatformParts): readonly Route[] {
  const memory = {
    frequencies: createFrequencySource(parts.clock),
    counter: createMatchCounter(parts.database, parts.clock),
  }
  const search = defineRoute({
    method: 'GET',
    path: '/v1/agents',
    summary: 'Find agents by words, capability, price, badge, category and fields',
    access: 'public',
    query: searchQuery,
    perMinute: SEARCHES_PER_MINUTE,
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
      const page = await findAgents(parts.database, memory, asked)
      const showMatch = asked.words !== undefined && asked.sort === 'relevance'
      const agents = await readCards(parts.database, page.found, showMatch)
      const next_cursor = page.next === undefined ? null : writeCursor(page.next, query)
      const total = page.total()
      const told = total === undefined ? null : { count: total.count, at_least: total.isAtLeast }
      return { body: { agents, next_cursor, total: told } }
    },
  })
  return [search, ...agentPageRoutes(parts)]
}
