import {
  job,
  jobHeaders,
  jobOrder,
  jobOrderQuery,
  jobPath,
  jobRetry,
  orderHeaders,
  quote,
  quoteRequest,
  receiptAnswer,
} from '@farebox/platform-api/jobs'
import { MAX_BODY_BYTES } from '@farebox/protocol/limits'
import { callerKey } from '../http/caller-key.ts'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route, type RouteAnswer } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { issueReceipt } from '../receipts/issue-receipt.ts'
import { receiptsRoutes } from '../receipts/receipts-routes.ts'
import { createOrderAdmission } from './order/admit-order.ts'
import { deleteContents } from './records/delete-contents.ts'
import { openJob, openToDelete, shownBy } from './order/open-job.ts'
import { jobEventsRoute } from './job-events-route.ts'
import { orderJob } from './order/order-job.ts'
import { retryJob } from './order/retry-job.ts'
import type { JobRow } from './records/job-row.ts'
import { createProvePayment } from './quote/prove-payment.ts'
import { quoteJob } from './quote/quote-job.ts'
import { readJob } from './records/job-store.ts'
import { showJob } from './show-job.ts'
import { waitForOutcome } from './records/wait-for-outcome.ts'

/** The input, plus room for the payment and the other fields. */
const MAX_ORDER_BYTES = MAX_BODY_BYTES + 32_768

/** The routes for quotes, jobs and their outcomes, and receipt keys. The jobs themselves are sent by `startJobs`. */
export function jobsRoutes(parts: PlatformParts): readonly Route[] {
  return [
    quoteRoute(parts),
    orderRoute(parts),
    readRoute(parts),
    jobEventsRoute(parts),
    retryRoute(parts),
    receiptRoute(parts),
    deleteContentsRoute(parts),
    ...receiptsRoutes(parts),
  ]
}

function quoteRoute(parts: PlatformParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/quotes',
    summary: 'The current price of a job, checked against the agent’s registration',
    access: 'public',
    perMinute: 60,
    body: quoteRequest,
    answers: {
      200: { description: 'The price, and what a payment has to say', schema: quote },
      404: { description: 'No such agent' },
      409: {
        description: 'The agent cannot be paid now, or asks for something else than is registered of it',
      },
      502: { description: 'The agent gave no response, or an invalid one' },
    },
    async handle({ body, signal }) {
      const answer = await quoteJob(parts, { agentId: body.agent_id, capability: body.capability, signal })
      return { body: answer, headers: { 'cache-control': 'no-store' } }
    },
  })
}

function orderRoute(parts: PlatformParts): Route {
  const provePayment = createProvePayment(parts)
  const admit = createOrderAdmission(parts)
  return defineRoute({
    method: 'POST',
    path: '/v1/jobs',
    summary: 'Sends a job with its payment; the same order again is the same job',
    access: 'public',
    perMinute: 600,
    maxBodyBytes: MAX_ORDER_BYTES,
    waitsForDatabase: 'repeated',
    query: jobOrderQuery,
    headers: orderHeaders,
    body: jobOrder,
    answers: {
      200: { description: 'The outcome, also where the agent failed the job', schema: job },
      202: { description: 'No outcome yet: ask for the job again', schema: job },
      402: {
        description:
          'The payment does not cover this job, or the payer’s balance is too low; nothing was sent',
      },
      404: { description: 'No such agent' },
      409: {
        description: 'The agent cannot be paid now, or the job_id or the payment is in use for another job',
      },
      429: {
        description:
          'The payer, the agent or the address has too many jobs, or bytes, without an outcome or a payment; or too ' +
          'many deadlines of the payer ran out at this agent',
      },
      503: {
        description: 'The chain does not tell the payer’s balance, or the database is away; nothing was sent',
      },
    },
    async handle({ body, query, caller, trace, signal }) {
      const by = { kind: 'caller', provePayment, admit, from: callerKey(caller.ip), trace } as const
      const { job: ordered, token } = await orderJob(parts, by, body)
      const waiting = { isWaitedFor: query.wait !== 'false', signal, token }
      return { later: () => showOutcome(parts, ordered, waiting) }
    },
  })
}

/** Answers with a job that was just stored: after its outcome, or in its current state when the caller does not wait. */
async function showOutcome(
  parts: PlatformParts,
  ordered: JobRow,
  waiting: { readonly isWaitedFor: boolean; readonly signal: AbortSignal; readonly token?: string },
): Promise<RouteAnswer> {
  const known = waiting.isWaitedFor
    ? await waitForOutcome(parts, ordered, waiting.signal)
    : ((await readJob(parts.database, ordered.jobId)) ?? ordered)
  return await showJob(parts, known, waiting.token)
}

function readRoute(parts: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/jobs/:jobId',
    summary: 'The state of a job, for its payer',
    access: 'public',
    belongsTo: 'payer',
    perMinute: 1_200,
    params: jobPath,
    headers: jobHeaders,
    answers: {
      200: { description: 'The outcome', schema: job },
      202: { description: 'No outcome yet: ask again', schema: job },
      404: { description: 'No such job of yours' },
    },
    async handle({ params, headers, caller }) {
      return await showJob(parts, await openJob(parts, params.jobId, shownBy(caller, headers)))
    },
  })
}

function retryRoute(parts: PlatformParts): Route {
  const [provePayment, admit] = [createProvePayment(parts), createOrderAdmission(parts)]
  return defineRoute({
    method: 'POST',
    path: '/v1/jobs/:jobId/retry',
    summary: 'Sends a failed, uncharged job again, with the payment it was ordered with',
    access: 'public',
    belongsTo: 'payer',
    perMinute: 60,
    maxBodyBytes: MAX_ORDER_BYTES,
    waitsForDatabase: 'repeated',
    params: jobPath,
    query: jobOrderQuery,
    headers: jobHeaders,
    body: jobRetry,
    answers: {
      200: { description: 'The outcome, also where the agent failed the job once more', schema: job },
      202: { description: 'No outcome yet: ask for the job again', schema: job },
      402: {
        description:
          'The payment does not cover this job, or the payer’s balance is too low; nothing was sent',
      },
      403: { description: 'This token came with a repeat of the order: it cannot change the input' },
      404: { description: 'No such job of yours' },
      409: {
        description:
          'It cannot be retried: it has no outcome, or was delivered or charged, its payment ends, it is another ' +
          'payment, the input cannot be changed any more, or somebody retries it already; nothing was sent',
      },
      429: { description: 'The payer, the agent or the address has too many jobs, as for an order' },
      503: {
        description: 'The chain does not tell the payer’s balance, or the database is away; nothing was sent',
      },
    },
    async handle({ params, query, headers, body, caller, signal }) {
      const shown = { caller, token: headers['job-token'] }
      const known = await openJob(parts, params.jobId, shown)
      const by = { kind: 'caller', provePayment, admit, from: callerKey(caller.ip) } as const
      const reopened = await retryJob(parts, by, known, { retry: body, shown })
      return { later: () => showOutcome(parts, reopened, { isWaitedFor: query.wait !== 'false', signal }) }
    },
  })
}

function receiptRoute(parts: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/jobs/:jobId/receipt',
    summary: 'The signed receipt of a job, for its payer',
    access: 'public',
    belongsTo: 'payer',
    params: jobPath,
    headers: jobHeaders,
    answers: {
      200: { description: 'The receipt; the same one every time', schema: receiptAnswer },
      404: { description: 'No such job of yours' },
      409: { description: 'The job is not completed, or its transfer is not proven' },
    },
    async handle({ params, headers, caller }) {
      const job = await openJob(parts, params.jobId, shownBy(caller, headers))
      const receipt = await issueReceipt(parts, job)
      if (receipt !== undefined) return { body: { receipt }, headers: { 'cache-control': 'no-store' } }
      throw new Refusal(
        'conflict',
        `jobId: a receipt is for jobs that were delivered and paid, this one is ${job.state}`,
      )
    },
  })
}

function deleteContentsRoute(parts: PlatformParts): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/v1/jobs/:jobId/contents',
    summary: 'Deletes the input and the output of a job; its payment and its receipt stay',
    access: 'public',
    belongsTo: 'payer',
    params: jobPath,
    headers: jobHeaders,
    answers: {
      204: { description: 'The input and the output are deleted' },
      403: { description: 'This token only reads: it came with a repeat of the order' },
      404: { description: 'No such job of yours' },
      409: { description: 'The job has no outcome yet, so both are still needed' },
    },
    async handle({ params, headers, caller }) {
      const known = await openToDelete(parts, params.jobId, { caller, token: headers['job-token'] })
      // Issued while the answer can still be read; afterwards the receipt needs only its hashes.
      await issueReceipt(parts, known)
      if (await deleteContents(parts.database, known.jobId, parts.clock.nowMs())) return { status: 204 }
      throw new Refusal('conflict', 'jobId: the job has no outcome yet, its contents are still needed')
    },
  })
}
