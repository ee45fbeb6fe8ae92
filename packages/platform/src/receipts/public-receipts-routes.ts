import {
  publicReceipt,
  publicReceiptPath,
  publicReceipts,
  publicReceiptsQuery,
} from '@farebox/platform-api/public-receipts'
import { agentPath } from '@farebox/platform-api/registry'
import { SPEAKS } from '../agents/agent-row.ts'
import { readAgent } from '../agents/read-agent.ts'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { readPublicReceipt, readPublicReceipts } from './read-public-receipts.ts'

const LISTS_PER_MINUTE = 120

/** The public routes for paid jobs. They show that a job was paid, its agent, its price and the minute of payment. */
export function publicReceiptsRoutes({ database, clock }: PlatformParts): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/receipts',
      summary: 'Paid jobs of all agents, newest first; jobs of the current minute are not listed yet',
      access: 'public',
      query: publicReceiptsQuery,
      perMinute: LISTS_PER_MINUTE,
      answers: {
        200: { description: 'One page', schema: publicReceipts },
        400: { description: 'The cursor is not valid' },
      },
      handle: async ({ query }) => ({
        body: await readPublicReceipts(database, { ...query, nowMs: clock.nowMs() }),
      }),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/agents/:agentId/receipts',
      summary: 'Paid jobs of an agent, newest first; jobs of the current minute are not listed yet',
      access: 'public',
      params: agentPath,
      query: publicReceiptsQuery,
      perMinute: LISTS_PER_MINUTE,
      answers: {
        200: { description: 'One page', schema: publicReceipts },
        400: { description: 'The cursor is not valid' },
        404: { description: 'There is no such agent' },
      },
      async handle({ params: { agentId }, query }) {
        const agent = await readAgent(database, agentId)
        if (agent === undefined || !SPEAKS[agent.standing])
          throw new Refusal('not_found', `agent ${agentId} is not listed here`)
        return { body: await readPublicReceipts(database, { ...query, agentId, nowMs: clock.nowMs() }) }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/receipts/:hash',
      summary: 'A paid job by the hash of its job_id, which is `job` in its receipt',
      access: 'public',
      params: publicReceiptPath,
      perMinute: LISTS_PER_MINUTE,
      answers: {
        200: { description: 'The job', schema: publicReceipt },
        404: { description: 'No paid job has this hash' },
      },
      async handle({ params }) {
        const body = await readPublicReceipt(database, params.hash)
        if (body === undefined) throw new Refusal('not_found', 'receipt: no paid job has this hash')
        return { body }
      },
    }),
  ]
}
