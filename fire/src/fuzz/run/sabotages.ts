import { CANARY } from '../handlers/hostile-values.ts'
import type { FuzzStage } from './fuzz-stage.ts'
import type { Sabotage } from './run-round.ts'

/**
 * Agents that break one promise each: what the fuzz must catch, or it proves nothing. Each is the real agent with
 * something put between it and the oracle.
 */
export const SABOTAGES: { readonly [name: string]: Sabotage } = {
  'answers 200 to a caller who has not paid': misreport(402, ({ text }) => {
    const done = '{"service_version":"1.0","job_id":"x","status":"completed","output":{},"completed_at":1}'
    return text.includes('accepts') ? { status: 200, text: done } : {}
  }),
  'quotes the message of a handler': misreport(500, ({ text }) => ({
    text: text.replace('Internal error', CANARY),
  })),
  'quotes a stack': misreport(400, ({ text }) => ({
    text: text.replace('must be JSON', 'at parse (/srv/agent.ts:12:3)'),
  })),
  'answers 504 for 408': misreport(408, () => ({ status: 504 })),
  'adds a key': misreport(400, ({ text }) => ({ text: text.replace('{"', '{"request_id":1,"') })),
  'leaves the receipt out': misreport(200, ({ headers }) => {
    headers.delete('payment-response')
    return {}
  }),
  'leaves no-store out': misreport(402, ({ headers }) => {
    headers.delete('cache-control')
    return {}
  }),
  'checks the deadline before the capability': misreport(400, ({ text }) => {
    const late = '{"status":"failed","error_type":"deadline","error":"late","service_version":"1.0"}'
    return text.includes('Unknown capability') ? { status: 408, text: late } : {}
  }),
  'gives handlers unchecked input': after(({ calls }) => {
    const call = calls.at(-1)
    if (call !== undefined) calls.splice(-1, 1, { ...call, input: { ...call.input, unchecked: true } })
  }),
  'settles failed jobs': after(({ gate }, { status }) => {
    const verified = gate.events.find(({ call }) => call === 'verify')
    if (status >= 400 && verified !== undefined) gate.events.push({ ...verified, call: 'settle' })
  }),
  'settles twice': after(({ gate }) => {
    gate.events.push(...gate.events.filter(({ call }) => call === 'settle'))
  }),
  'hangs now and then': everySoOften(() => new Promise(() => undefined)),
  'leaves a rejection unhandled': everySoOften((request, stage) => {
    void Promise.reject(new Error('unhandled'))
    return stage.fetch(request)
  }),
}

/** An answer as it is reported. */
interface Reported {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The same agent, whose answers of a status are reported otherwise. */
function misreport(when: number, change: (reported: Reported) => Partial<Reported>): Sabotage {
  return stage => ({
    ...stage,
    async fetch(request) {
      const response = await stage.fetch(request)
      if (response.status !== when) return response
      const headers = new Headers(response.headers)
      const reported: Reported = { status: when, headers, text: await response.text() }
      const { status, text } = { ...reported, ...change(reported) }
      return new Response(text, { status, headers })
    },
  })
}

/** The same agent, and something is done after each of its answers. */
function after(act: (stage: FuzzStage, response: Response) => void): Sabotage {
  return stage => ({
    ...stage,
    async fetch(request) {
      const response = await stage.fetch(request)
      act(stage, response)
      return response
    },
  })
}

/** The same agent, but for every two hundredth request. */
function everySoOften(otherwise: (request: Request, stage: FuzzStage) => Promise<Response>): Sabotage {
  return stage => {
    let count = 0
    return {
      ...stage,
      fetch: request => ((count += 1) % 200 === 0 ? otherwise(request, stage) : stage.fetch(request)),
    }
  }
}
