import { unpaidRuns } from '@farebox/platform-api/operator'
import { z } from 'zod'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { deleteRun } from './records/delete-runs.ts'
import { writeAudit } from '../write-audit.ts'

const MOST_SHOWN = 100

/** The operator's routes against runs that use many resources and pay for nothing. */
export function operatorRunsRoutes({ database, clock }: PlatformParts): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/operator/runs',
      summary: 'Runs that were never paid for, largest first',
      access: 'operator',
      answers: { 200: { description: `${MOST_SHOWN} at most`, schema: unpaidRuns } },
      handle: async () => {
        const runs = await database.query<UnpaidRun>(
          'list-unpaid-runs',
          `select run_id, started_from, payer, status,
             octet_length(flow) + octet_length(input) + octet_length(state) as characters,
             extract(epoch from created_at)::float8 as created_at
           from runs where started_from is not null order by characters desc, run_id limit ${MOST_SHOWN}`,
          [],
        )
        return { body: { runs } }
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/operator/runs/:runId',
      summary: 'Deletes a run that was never paid for, unless one of its payments may still be charged',
      access: 'operator',
      params: z.strictObject({ runId: z.uuid() }),
      answers: { 204: { description: 'The run and its unsent payments are deleted' } },
      handle: async ({ params: { runId } }) => {
        if (!(await deleteRun(database, runId, { onlyUnpaid: true })))
          throw new Refusal(
            'conflict',
            'runId: there is none of which nothing was paid, or a payment of it may still be charged',
          )
        await writeAudit(database, {
          atMs: clock.nowMs(),
          actor: 'operator',
          action: 'run-deleted',
          subject: `run ${runId}`,
        })
        return { status: 204 }
      },
    }),
  ]
}

type UnpaidRun = z.output<typeof unpaidRuns>['runs'][number]
