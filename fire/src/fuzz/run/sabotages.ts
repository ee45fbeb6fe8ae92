import { CANARY } from '../handlers/hostile-values.ts'
import type { ReadAnswer } from '../oracle/answer-table.ts'
import type { FuzzStage } from './fuzz-stage.ts'

/** The change of an answer before it is judged; `count` is its number, from 1. */
export type Sabotage = (
  answer: ReadAnswer,
  stage: FuzzStage,
  count: number,
) => Partial<ReadAnswer> | void | Promise<void>

const DONE = '{"service_version":"1.0","job_id":"x","status":"completed","output":{},"completed_at":1}'
const LATE = '{"status":"failed","error_type":"deadline","error":"late","service_version":"1.0"}'

/**
 * Violations of one promise each: the fuzz must detect them, or it proves nothing. Each is the real agent with a
 * wrapper between it and the oracle.
 */
export const SABOTAGES: { readonly [name: string]: Sabotage } = {
  'answers 200 to a caller who has not paid': ({ text }) =>
    text.includes('accepts') ? { status: 200, text: DONE } : {},
  'quotes the message of a handler': ({ text }) => ({ text: text.replace('Internal error', CANARY) }),
  'quotes a stack': ({ text }) => ({ text: text.replace('must be JSON', 'at parse (/srv/agent.ts:12:3)') }),
  'answers 504 for 408': ({ status }) => (status === 408 ? { status: 504 } : {}),
  'adds a key': ({ status, text }) =>
    status === 400 ? { text: text.replace('{"', '{"request_id":1,"') } : {},
  'leaves the receipt out': ({ headers }) => headers.delete('payment-response'),
  'leaves no-store out': ({ headers }) => headers.delete('cache-control'),
  'checks the deadline before the capability': ({ text }) =>
    text.includes('Unknown capability') ? { status: 408, text: LATE } : {},
  'gives handlers unchecked input': (_, { calls }) => {
    const call = calls.at(-1)
    if (call !== undefined) calls.splice(-1, 1, { ...call, input: { ...call.input, unchecked: true } })
  },
  'settles failed jobs': ({ status }, { gate }) => {
    const verified = gate.events.find(({ call }) => call === 'verify')
    if (status >= 400 && verified !== undefined) gate.events.push({ ...verified, call: 'settle' })
  },
  'settles twice': (_, { gate }) =>
    void gate.events.push(...gate.events.filter(({ call }) => call === 'settle')),
  'hangs now and then': (_, __, count) => (count % 200 === 0 ? new Promise(() => undefined) : {}),
  'leaves a rejection unhandled': (_, __, count) => {
    if (count % 200 === 0) void Promise.reject(new Error('unhandled'))
  },
}

/** The same agent with sabotaged answers. */
export function sabotageStage(stage: FuzzStage, sabotage: Sabotage): FuzzStage {
  let count = 0
  return {
    ...stage,
    async fetch(request) {
      const response = await stage.fetch(request)
      const headers = new Headers(response.headers)
      const answer = { status: response.status, headers, text: await response.text() }
      count += 1
      const { status, text } = { ...answer, ...(await sabotage(answer, stage, count)) }
      return new Response(text, { status, headers })
    },
  }
}
