import { isObject, parseJson } from '@farebox/protocol/internal/guards/json'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { PageRefusal, RunAnswer, RunRequest } from './wire.ts'

/** A job that was run from this page. */
export interface Run {
  readonly request: RunRequest
  /** Unix milliseconds. */
  readonly sinceMs: number
  /** When its answer was here; undefined: it is under way. */
  readonly untilMs: number | undefined
  readonly answer: RunAnswer | undefined
}

/** What an answer comes to. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly output: JsonObject }
  /** The agent refuses or fails. The name is one for the whole page: its heading, its ticket, its line of steps. */
  | { readonly kind: 'refused'; readonly name: string; readonly error: string; readonly type: string }
  /** No answer of the interface; a sentence says why. */
  | { readonly kind: 'trouble'; readonly sentence: string }

/** Puts a job to the server of the page. Never rejects: what went wrong is in the answer. */
export async function sendRun(request: RunRequest, sinceMs: number): Promise<RunAnswer> {
  const trouble = (sentence: string): RunAnswer => ({
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
    if (response.ok) return (await response.json()) as RunAnswer
    const { error } = (await response.json()) as PageRefusal
    return trouble(error)
  } catch {
    return trouble('farebox dev did not respond because it stopped or was restarted.')
  }
}

/** Reads what the agent answered. Its client has read it before: a delivered answer has an object for an output. */
export function readOutcome({ status, body, trouble }: RunAnswer): Outcome {
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
  // Parsed JSON is a JSON value and nothing else.
  return isObject(value) ? (value as JsonObject) : undefined
}
