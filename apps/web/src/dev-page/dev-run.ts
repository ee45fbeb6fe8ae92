import { isObject, parseJson } from '@farebox/protocol/internal/guards/json'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { DevAnswer, DevJob, PageRefusal } from './wire.ts'

/** A job that was run from this page. */
export interface DevRun {
  readonly request: DevJob
  /** Unix milliseconds. */
  readonly sinceMs: number
  /** When the response arrived, in Unix milliseconds; undefined while the job is running. */
  readonly untilMs: number | undefined
  readonly answer: DevAnswer | undefined
}

/** An interpreted response. */
export type DevResult =
  | { readonly kind: 'delivered'; readonly output: JsonObject }
  /** The agent refused the job or failed. The heading, the ticket and the steps all use this `name`. */
  | { readonly kind: 'refused'; readonly name: string; readonly error: string; readonly type: string }
  /** There was no valid response; `sentence` says why. */
  | { readonly kind: 'trouble'; readonly sentence: string }

/** Has the server of the page run a job. Never rejects: the returned answer describes any failure. */
export async function sendDevJob(request: DevJob, sinceMs: number): Promise<DevAnswer> {
  const trouble = (sentence: string): DevAnswer => ({
    job_id: request.job_id,
    status: null,
    body: '',
    ms: Date.now() - sinceMs,
    steps: [],
    trouble: sentence,
    settled: null,
  })
  try {
    const response = await fetch('/run', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    })
    if (response.ok) return (await response.json()) as DevAnswer
    const { error } = (await response.json()) as PageRefusal
    return trouble(error)
  } catch {
    return trouble('farebox dev did not respond because it stopped or was restarted.')
  }
}

/** Interprets the agent's response. The server has validated it: the output of a delivered response is an object. */
export function readDevAnswer({ status, body, trouble }: DevAnswer): DevResult {
  if (trouble !== null) return { kind: 'trouble', sentence: trouble }
  const json = readObject(body)
  const { output, error, error_type: type } = json ?? {}
  if (status === 200 && isObject(output)) return { kind: 'delivered', output }
  if (typeof error === 'string')
    return { kind: 'refused', name: nameRefusal(type), error, type: String(type ?? '') }
  return { kind: 'trouble', sentence: `The agent returned ${status ?? 'nothing'} and did not give a reason.` }
}

function nameRefusal(type: unknown): string {
  if (type === 'validation') return 'Input rejected'
  return type === 'payment' ? 'Payment rejected' : 'Not delivered'
}

function readObject(text: string): JsonObject | undefined {
  const value = parseJson(text)
  // Parsed JSON contains only JSON values.
  return isObject(value) ? (value as JsonObject) : undefined
}
