import { failure } from '@farebox/platform-api/errors'
import { dryRunAnswer, dryRunRequest } from '@farebox/platform-api/flows/saved-flows'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { callerKey } from '../http/caller-key.ts'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { MAX_FLOW_BYTES } from './flow-limits.ts'
import { refuseBusy } from './refuse-busy.ts'

const DRY_RUNS_PER_MINUTE = 60

/** A flow on sample data. */
export function dryRunRoute({ checker }: Pick<PlatformParts, 'checker'>): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/flows/dry-run',
    summary: 'A flow on sample data: no agent is asked, nothing is paid, nothing is kept',
    access: 'public',
    body: dryRunRequest,
    perMinute: DRY_RUNS_PER_MINUTE,
    maxBodyBytes: 2 * MAX_FLOW_BYTES,
    answers: {
      200: { description: 'What each step would come to', schema: dryRunAnswer },
      400: { description: 'It cannot be run, or the input is not what it takes', schema: failure },
      503: { description: 'Too much is being checked', schema: failure },
    },
    async handle({ body, caller }) {
      // It came as JSON.
      const input = body.input as JsonObject | undefined
      const given = { flow: body.flow, ...(input !== undefined && { input }) }
      const result = await checker
        .run('dry-run', given, `dry runs of ${callerKey(caller.ip)}`)
        .catch(refuseBusy)
      if (!result.ok) throw new Refusal('validation', `${result.part}: ${result.reason}`)
      const { input: taken, steps, output } = result.played
      return { body: { input: taken, steps, output } }
    },
  })
}
