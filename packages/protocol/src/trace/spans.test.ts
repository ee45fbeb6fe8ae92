import { afterEach, beforeEach, expect, test } from 'vitest'
import { recordSpans } from './record-spans.ts'
import { answeredWith, sendInSpan, setSpanRecorder, startSpan, type SpanAttributes } from './spans.ts'
import { parseTraceparent, storeTrace, type Trace } from './traceparent.ts'

const TRACE: Trace = { id: 'ab'.repeat(16), parentId: 'cd'.repeat(8), isSampled: true }
const SPAN = '12'.repeat(8)

const recorded: unknown[] = []
const record = (): void =>
  setSpanRecorder({
    start: (kind, name, trace, attributes) => ({
      trace: { ...trace, spanId: SPAN },
      end: (more: SpanAttributes = {}, failure?: string) =>
        void recorded.push([kind, name, { ...attributes, ...more }, failure]),
    }),
  })
beforeEach(() => void recorded.splice(0))
afterEach(() => setSpanRecorder(undefined))

const REQUEST = { method: 'POST', url: 'https://agent.example/base/execute?secret=1' }
const send = (status: number) =>
  sendInSpan(
    TRACE,
    REQUEST,
    traceparent => Promise.resolve({ status, traceparent }),
    answer => answer.status,
  )

test('without a recorder a request is sent with the trace and a span id of its own', async () => {
  const { traceparent } = await send(200)
  expect(parseTraceparent(traceparent)).toMatchObject({ id: TRACE.id, isSampled: true })
  expect(traceparent).not.toContain(TRACE.parentId)
  expect(startSpan('internal', 'work', TRACE).trace).toBe(TRACE)
})

test('a request that is sent is recorded without its query, and the header names its span', async () => {
  record()
  expect((await send(200)).traceparent).toBe(`00-${TRACE.id}-${SPAN}-01`)
  const described = {
    'http.request.method': 'POST',
    'server.address': 'agent.example',
    'server.port': 443,
    'url.scheme': 'https',
    'url.template': '/base/execute',
  }
  const named = ['client', 'POST /base/execute']
  expect(recorded).toEqual([[...named, { ...described, 'http.response.status_code': 200 }, undefined]])
})

test.each([
  [200, undefined],
  [402, undefined],
  [404, '404'],
  [500, '500'],
])('an answer of %s to a sent request is the failure %s', async (status, failure) => {
  record()
  await send(status)
  expect(recorded).toEqual([expect.arrayContaining([failure])])
})

test('a request that is not answered is recorded as a failure, and its error is rethrown', async () => {
  record()
  const reject = (): Promise<never> => Promise.reject(new RangeError('gone'))
  await expect(sendInSpan(TRACE, REQUEST, reject, () => 200)).rejects.toThrow('gone')
  await sendInSpan(
    TRACE,
    REQUEST,
    () => Promise.resolve('nothing'),
    () => undefined,
  )
  expect(recorded.map(span => (span as unknown[])[3])).toEqual(['RangeError', 'no_answer'])
})

test('a served request fails only through the server’s own errors', () => {
  expect([200, 402, 499, 500, 503].map(status => answeredWith(status)[1])).toEqual([
    undefined,
    undefined,
    undefined,
    '500',
    '503',
  ])
})

test('a kept trace names the recorded span, and without one the span that the request came from', () => {
  expect(storeTrace({ ...TRACE, spanId: SPAN })).toBe(`00-${TRACE.id}-${SPAN}-01`)
  expect(storeTrace(TRACE)).toBe(`00-${TRACE.id}-${TRACE.parentId}-01`)
  expect(parseTraceparent(storeTrace({ ...TRACE, parentId: undefined }))).toBeDefined()
})

test('the OpenTelemetry API without an SDK records nothing', async () => {
  const flush = await recordSpans()
  expect(startSpan('internal', 'work', TRACE).trace).toBe(TRACE)
  await expect(flush()).resolves.toBeUndefined()
})
