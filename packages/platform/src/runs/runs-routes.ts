import type { Flow } from '@farebox/flows/document/flow'
import { failure } from '@farebox/platform-api/errors'
import { runQuote, runQuoteRequest } from '@farebox/platform-api/flows/run-quote'
import {
  run,
  runAnswerRequest,
  runHeaders,
  runPath,
  runPaymentsRequest,
  runRequest,
  runRetryRequest,
  runStarted,
} from '@farebox/platform-api/flows/runs'
import type { ZodType } from 'zod'
import type { GivenEvent } from '../checking/run-messages.ts'
import { orderHeaders } from '@farebox/platform-api/jobs'
import { callerKey } from '../http/caller-key.ts'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { authorizeRun } from './authorize-run.ts'
import {
  createPaymentMeans,
  refuseBadMaxTotal,
  readRunPayments,
  type PaymentMeans,
} from './pay/read-payments.ts'
import { quoteRun } from './pay/quote-run.ts'
import { changeStoredRun } from './records/change-run.ts'
import { deleteRun } from './records/delete-runs.ts'
import { originOf, sizeOfRun, type RunRow } from './records/run-row.ts'
import { ownRunsRoute } from './own-runs-route.ts'
import { runEventsRoute } from './run-events-route.ts'
import { describeWholeRun } from './show-run.ts'
import { createWritePace, takeChange, type WritePace } from './records/write-pace.ts'
import { operatorRunsRoutes } from './operator-runs-routes.ts'
import { createStartRun } from './start-run.ts'

/** The maximum size of a flow with its input and payments for all of its jobs. */
const MAX_START_BYTES = 8 * 1_048_576
const MAX_FLOW_BYTES = 2 * 1_048_576
const MAX_PAYMENTS_BYTES = 4 * 1_048_576

const NOT_YOURS = { 404: { description: 'No such run of yours', schema: failure } } as const
const PRIVATE = { 'cache-control': 'no-store' } as const

/** The routes to quote, start, change and delete runs. `startRuns` drives the runs. */
export function runsRoutes(parts: PlatformParts): readonly Route[] {
  const means = createPaymentMeans(parts)
  const pace = createWritePace(() => parts.clock.nowMs())
  return [
    ...(parts.settings.operatorToken === undefined ? [] : operatorRunsRoutes(parts)),
    quoteRoute(parts, means),
    startRoute(parts, means),
    readRoute(parts),
    runEventsRoute(parts),
    paymentsRoute(parts, means),
    changeRoute(
      parts,
      pace,
      'pause',
      'Orders nothing new until it is resumed; jobs under way go on',
      'paused',
    ),
    changeRoute(parts, pace, 'resume', 'Goes on with a run that was paused', 'resumed'),
    changeRoute(
      parts,
      pace,
      'cancel',
      'Orders nothing any more, and deletes every payment that was not sent; jobs under way go on',
      'cancelled',
    ),
    eventRoute(parts, pace, {
      name: 'retry',
      summary:
        'Sends a failed job once more, with the same payment while that is good; otherwise asks for a new one',
      body: runRetryRequest,
      toEvent: ({ key }) => ({ event: 'retried', key }),
    }),
    eventRoute(parts, pace, {
      name: 'answer',
      summary: 'Answers an approval',
      body: runAnswerRequest,
      toEvent: ({ step, approved }) => ({ event: 'answered', step, approved }),
    }),
    deleteRoute(parts),
    ownRunsRoute(parts),
  ]
}

function quoteRoute(parts: PlatformParts, means: PaymentMeans): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/runs/quote',
    summary: 'The payments to sign for a run of a flow, priced by its agents now',
    access: 'public',
    // In addition, the price requests to agents are limited for each job.
    perMinute: 600,
    body: runQuoteRequest,
    maxBodyBytes: MAX_FLOW_BYTES,
    answers: {
      200: { description: 'The prices; a job whose agent gave none says why', schema: runQuote },
      400: { description: 'It is not a flow, or has no such job', schema: failure },
    },
    async handle({ body, caller, signal }) {
      const jobs = Object.values(body.flow.steps).filter(({ kind }) => kind === 'job').length
      means.take(callerKey(caller.ip), body.keys?.length ?? jobs)
      return { body: await quoteRun(parts, body.flow as Flow, { keys: body.keys, signal }), headers: PRIVATE }
    },
  })
}

function startRoute(parts: PlatformParts, means: PaymentMeans): Route {
  const startRun = createStartRun(parts, means)
  return defineRoute({
    method: 'POST',
    path: '/v1/runs',
    summary:
      'Starts a run of a flow, with the payments that are there; the same request again is the same run',
    access: 'public',
    perMinute: 1_200,
    headers: orderHeaders,
    body: runRequest,
    maxBodyBytes: MAX_START_BYTES,
    waitsForDatabase: 'once',
    answers: {
      200: { description: 'The run', schema: runStarted },
      400: {
        description: 'The flow cannot be run, or the input is not what it takes; nothing was started',
        schema: failure,
      },
      402: { description: 'A payment does not pay for its job; nothing was started', schema: failure },
      409: {
        description: 'The run_id or a job_id is in use, or an agent cannot be paid now',
        schema: failure,
      },
      429: { description: 'Too many runs from this address have nothing paid', schema: failure },
      503: {
        description: 'Too many checks are running, or the database is away; nothing was started',
        schema: failure,
      },
    },
    async handle({ body, caller, trace, signal }) {
      const { run: started, token } = await startRun(body, { caller, trace }, signal)
      const answer = await describeWholeRun(parts, started)
      return { body: { ...answer, ...(token !== undefined && { run_token: token }) }, headers: PRIVATE }
    },
  })
}

function readRoute(parts: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/runs/:runId',
    summary: 'The state of a run, step by step',
    access: 'public',
    belongsTo: 'payer',
    perMinute: 1_200,
    params: runPath,
    headers: runHeaders,
    answers: { 200: { description: 'The run', schema: run }, ...NOT_YOURS },
    async handle({ params, headers, caller }) {
      const known = await authorizeRun(parts, params.runId, { caller, token: headers['run-token'] })
      return { body: await describeWholeRun(parts, known), headers: PRIVATE }
    },
  })
}

function paymentsRoute(parts: PlatformParts, means: PaymentMeans): Route {
  return defineRoute({
    method: 'PUT',
    path: '/v1/runs/:runId/payments',
    summary: 'Adds payments for jobs of a run, all or none of them',
    access: 'public',
    belongsTo: 'payer',
    perMinute: 300,
    params: runPath,
    headers: runHeaders,
    body: runPaymentsRequest,
    maxBodyBytes: MAX_PAYMENTS_BYTES,
    answers: {
      200: { description: 'The run', schema: run },
      402: { description: 'A payment does not pay for its job; none was taken', schema: failure },
      409: { description: 'A job does not take a payment now; none was taken', schema: failure },
      ...NOT_YOURS,
    },
    async handle({ params, headers, body, caller }) {
      if (body.max_total !== undefined) refuseBadMaxTotal(body.max_total)
      means.take(callerKey(caller.ip), body.payments.length)
      const known = await authorizeRun(parts, params.runId, { caller, token: headers['run-token'] })
      // The flow was validated when the run was started.
      const flow = JSON.parse(known.flow) as Flow
      const { payer, brought, sealed } = await readRunPayments(parts, means, flow, body.payments)
      const paidIn = brought.map(({ key, payment }) => ({ event: 'paid-in', key, payment }) as const)
      const take = async (events: readonly GivenEvent[]): Promise<RunRow> => {
        const change = { events, payments: sealed, ...(payer !== undefined && { payer }) }
        return await changeStoredRun(parts, known.runId, change, known)
      }
      const { max_total: limit } = body
      const changed = await take(paidIn).catch(async (error: unknown) => {
        // The payments were refused under the current limit and nothing was written, so they are tried with the raised
        // limit. The limit is raised only when this is necessary.
        if (limit === undefined || !(error instanceof Refusal && error.type === 'conflict')) throw error
        return await take([{ event: 'raised', max_total: limit }, ...paidIn])
      })
      return { body: await describeWholeRun(parts, changed), headers: PRIVATE }
    },
  })
}

function changeRoute(
  parts: PlatformParts,
  pace: WritePace,
  name: string,
  summary: string,
  event: 'paused' | 'resumed' | 'cancelled',
): Route {
  return defineRoute({
    method: 'POST',
    path: `/v1/runs/:runId/${name}`,
    summary,
    access: 'public',
    belongsTo: 'payer',
    params: runPath,
    headers: runHeaders,
    answers: {
      200: { description: 'The run', schema: run },
      409: { description: 'The run does not allow this; `error` says why', schema: failure },
      ...NOT_YOURS,
    },
    handle: ({ params, headers, caller }) =>
      applyTo(parts, pace, { ...params, caller, token: headers['run-token'] }, { event }),
  })
}

function eventRoute<B>(
  parts: PlatformParts,
  pace: WritePace,
  {
    name,
    summary,
    body,
    toEvent,
  }: {
    readonly name: string
    readonly summary: string
    readonly body: ZodType<B>
    readonly toEvent: (body: B) => GivenEvent
  },
): Route {
  return defineRoute({
    method: 'POST',
    path: `/v1/runs/:runId/${name}`,
    summary,
    access: 'public',
    belongsTo: 'payer',
    params: runPath,
    headers: runHeaders,
    body,
    answers: {
      200: { description: 'The run', schema: run },
      409: { description: 'The run does not allow this; `error` says why', schema: failure },
      ...NOT_YOURS,
    },
    handle: ({ params, headers, body: given, caller }) =>
      applyTo(parts, pace, { ...params, caller, token: headers['run-token'] }, toEvent(given)),
  })
}

async function applyTo(
  parts: PlatformParts,
  pace: WritePace,
  { runId, ...shown }: Parameters<typeof authorizeRun>[2] & { readonly runId: string },
  event: GivenEvent,
): Promise<{ readonly body: unknown; readonly headers: typeof PRIVATE }> {
  const known = await authorizeRun(parts, runId, shown)
  if (known.startedFrom !== undefined)
    takeChange(pace, parts.clock.nowMs(), originOf(known), sizeOfRun(known))
  const changed = await changeStoredRun(parts, known.runId, { events: [event] }, known)
  return { body: await describeWholeRun(parts, changed), headers: PRIVATE }
}

function deleteRoute(parts: PlatformParts): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/v1/runs/:runId',
    summary: 'Deletes a run with its values and payments; its jobs and their receipts stay',
    access: 'public',
    belongsTo: 'payer',
    params: runPath,
    headers: runHeaders,
    answers: {
      204: { description: 'The run is deleted' },
      409: { description: 'A payment of it may still be charged', schema: failure },
      ...NOT_YOURS,
    },
    async handle({ params, headers, caller }) {
      const known = await authorizeRun(parts, params.runId, { caller, token: headers['run-token'] })
      if (await deleteRun(parts.database, known.runId)) return { status: 204 }
      throw new Refusal(
        'conflict',
        'runId: a payment of this run may still be charged: wait until none can be',
      )
    },
  })
}
