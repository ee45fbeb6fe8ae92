import { answeredWith, startSpan } from '@farebox/protocol/internal/trace/spans'
import { readTraceparent, type Trace } from '@farebox/protocol/internal/trace/traceparent'
import type { Answer } from '../answer/answer.ts'
import type { ArrivedRequest } from './request/arrived-request.ts'
import type { JobOrder } from './request/job-order.ts'

/** A request to `/execute` in its trace. */
export interface TracedRequest {
  readonly trace: Trace
  /** Set when its body was read: the span of the request then names its job. */
  order: Pick<JobOrder, 'jobId' | 'capability' | 'traced'> | undefined
}

const ROUTE = { 'http.request.method': 'POST', 'http.route': '/execute' }

/** Answers a request in the trace of its `traceparent`, or in a new one. */
export async function traceRequest(
  { origin }: ArrivedRequest,
  answer: (request: TracedRequest) => Promise<Answer>,
): Promise<Answer> {
  const span = startSpan('server', 'POST /execute', readTraceparent(origin?.traceparent), ROUTE)
  const request: TracedRequest = { trace: span.trace, order: undefined }
  // The pipeline answers every error, so there is none to catch here.
  const answered = await answer(request)
  const [attributes, errorType] = answeredWith(answered.status)
  span.end({ ...attributes, ...describeOrder(request.order) }, errorType)
  return answered
}

function describeOrder(order: TracedRequest['order']) {
  return (
    order && {
      'farebox.job.id': order.jobId,
      'farebox.capability': order.capability.name,
      'farebox.payment.key': order.traced.key,
    }
  )
}
