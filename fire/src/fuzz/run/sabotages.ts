import { CANARY } from '../handlers/behaviour.ts'
import type { FuzzStage } from './fuzz-stage.ts'
import type { Sabotage } from './run-round.ts'

/** An answer as it is reported: status, headers, body text. */
interface Reported {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/**
 * Agents that break one promise each, now and then: what the fuzz must catch, or it proves nothing. Each is the real
 * agent with something put between it and the oracle.
 */
export const SABOTAGES: { readonly [name: string]: Sabotage } = {
  'answers 200 to who has not paid': misreport(one =>
    one.status === 402 && one.text.includes('accepts') && one.text.length % 7 === 0
      ? {
          ...one,
          status: 200,
          text: '{"service_version":"1.0","job_id":"x","status":"completed","output":{},"completed_at":1}',
        }
      : one,
  ),
  'tells what a handler threw': misreport(one =>
    one.text.includes('"Internal error"')
      ? { ...one, text: one.text.replace('Internal error', CANARY) }
      : one,
  ),
  'tells a stack': misreport(one =>
    one.text.includes('must be JSON')
      ? { ...one, text: one.text.replace('must be JSON', 'at parse (/srv/agent.ts:12:3)') }
      : one,
  ),
  'answers 504 for 408': misreport(one => (one.status === 408 ? { ...one, status: 504 } : one)),
  'answers 400 for 402': misreport(one =>
    one.text.includes('"payment"') && one.status === 402 ? { ...one, status: 400 } : one,
  ),
  'adds a key': misreport(one => ({
    ...one,
    text: one.text.replace('"status":"failed"', '"status":"failed","request_id":1'),
  })),
  'forgets no-store': misreport(one =>
    one.status === 402 ? { ...one, headers: without(one.headers, 'cache-control') } : one,
  ),
  'forgets the receipt': misreport(one =>
    one.status === 200 ? { ...one, headers: without(one.headers, 'payment-response') } : one,
  ),
  'calls a payment error internal': misreport(one => ({
    ...one,
    text: one.text.replace('"error_type":"payment"', '"error_type":"internal"'),
  })),
  'echoes another job_id': misreport(one => ({
    ...one,
    text: one.text.replace(/"job_id":"./, '"job_id":"g'),
  })),
  'judges the deadline before the capability': misreport(one =>
    one.text.includes('Unknown capability') && one.text.length % 3 === 0
      ? {
          ...one,
          status: 408,
          text: '{"status":"failed","error_type":"deadline","error":"late","service_version":"1.0"}',
        }
      : one,
  ),
  'gives handlers unchecked input': unchecked,
  'settles failed jobs': settlesFailures,
  'settles twice': settlesTwice,
  'hangs now and then': hangs,
  'rejects now and then': stage =>
    over(stage, {
      fetch: everySoOften(stage, () => Promise.reject(new Error('door fell off'))),
    }),
  'leaves a rejection unhandled': stage =>
    over(stage, {
      fetch: everySoOften(stage, request => {
        void Promise.reject(new Error('unhandled'))
        return stage.fetch(request)
      }),
    }),
}

/** The same agent, whose answers are reported otherwise. */
function misreport(change: (reported: Reported) => Reported): Sabotage {
  return stage =>
    over(stage, {
      async fetch(request) {
        const response = await stage.fetch(request)
        const { status, headers, text } = change({
          status: response.status,
          headers: response.headers,
          text: await response.text(),
        })
        return new Response(status === 204 ? null : text, { status, headers })
      },
    })
}

/** As the stage, its live properties kept, with some of them replaced. */
function over(stage: FuzzStage, changed: Partial<FuzzStage>): FuzzStage {
  return Object.create(stage, Object.getOwnPropertyDescriptors(changed)) as FuzzStage
}

function without(headers: Headers, name: string): Headers {
  const fewer = new Headers(headers)
  fewer.delete(name)
  return fewer
}

function everySoOften(
  stage: FuzzStage,
  otherwise: (request: Request) => Promise<Response>,
): FuzzStage['fetch'] {
  let count = 0
  return request => ((count += 1) % 200 === 0 ? otherwise(request) : stage.fetch(request))
}

/** What the handler was given is what the caller sent: as if nobody had checked it. */
function unchecked(stage: FuzzStage): FuzzStage {
  return over(stage, {
    async fetch(request) {
      const body: unknown = await request
        .clone()
        .json()
        .catch(() => undefined)
      const response = await stage.fetch(request)
      const input = (body as { task?: { input?: object } } | undefined)?.task?.input
      const call = stage.calls.at(-1)
      if (call !== undefined && input !== undefined)
        stage.calls.splice(-1, 1, { ...call, input: input as typeof call.input })
      return response
    },
  })
}

function settlesFailures(stage: FuzzStage): FuzzStage {
  return over(stage, {
    async fetch(request) {
      const response = await stage.fetch(request)
      const verified = stage.gate.events.find(({ call }) => call === 'verify')
      if (response.status >= 400 && verified !== undefined)
        stage.gate.events.push({ ...verified, call: 'settle' })
      return response
    },
  })
}

function settlesTwice(stage: FuzzStage): FuzzStage {
  return over(stage, {
    async fetch(request) {
      const response = await stage.fetch(request)
      const settled = stage.gate.events.find(({ call }) => call === 'settle')
      if (settled !== undefined) stage.gate.events.push(settled)
      return response
    },
  })
}

function hangs(stage: FuzzStage): FuzzStage {
  return over(stage, { fetch: everySoOften(stage, () => new Promise(() => undefined)) })
}
