import type { FakeClock } from '../testing/fake-clock.ts'

export const ENDPOINT = 'http://agent.test/execute'

/** A job as a test requests it. */
export interface Asked {
  readonly jobId?: string
  readonly capability?: string
  readonly input?: unknown
  /** Unix seconds; default: 30 seconds from now. */
  readonly deadline?: number
  /** Value of the `PAYMENT-SIGNATURE` header; null: no header. */
  readonly payment?: string | null
  readonly headers?: { readonly [name: string]: string }
}

/** A complete response. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: { readonly [key: string]: unknown }
}

/** A `POST /execute` as a web-standard request. */
export function executeRequest(clock: FakeClock, asked: Asked): Request {
  return new Request(ENDPOINT, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(typeof asked.payment === 'string' && { 'payment-signature': asked.payment }),
      ...asked.headers,
    },
    body: JSON.stringify({
      service_version: '1.0',
      job_id: asked.jobId,
      task: { capability: asked.capability, input: asked.input ?? { text: 'hi' } },
      deadline: asked.deadline ?? clock.nowMs() / 1_000 + 30,
    }),
  })
}

export async function readAnswer(response: Response): Promise<Answered> {
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text === '' ? {} : (JSON.parse(text) as Answered['json']),
  }
}

/** Advances the clock by the time in which the answer is expected, and awaits the answer. */
export async function after(clock: FakeClock, ms: number, answer: Promise<Answered>): Promise<Answered> {
  await clock.advance(ms)
  return await answer
}

/** The decoded `PAYMENT-RESPONSE` header; undefined when there is none. */
export function receiptOf(answer: Answered): unknown {
  const header = answer.headers.get('payment-response')
  return header === null ? undefined : (JSON.parse(Buffer.from(header, 'base64').toString()) as unknown)
}
