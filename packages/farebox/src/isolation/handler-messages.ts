import { isObject } from '@farebox/protocol/internal/guards/json'
import { ERROR_STATUS, type ErrorType } from '@farebox/protocol/errors/error-types'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { MAX_RESPONSE_BYTES } from '@farebox/protocol/limits'
import type { AgentAnswer, AgentQuestion } from '../handler/ask-agent.ts'
import type { HandlerFailure } from '../handler/handler-failure.ts'
import type { CheckedOutput } from '../handler/check-output.ts'
import type { ReportedLoadFailure } from './load-failure.ts'

/** The first message to a handler process: the file and the declaration to serve. */
export interface LoadCommand {
  readonly kind: 'load'
  /** An absolute path. */
  readonly file: string
  readonly declaration: Declaration
  readonly devMode: boolean
}

/** A job as it is sent to a handler process. */
export interface HandlerJob {
  readonly jobId: string
  readonly capability: string
  readonly payer: string | undefined
  readonly deadlineMs: number
  readonly input: JsonObject
}

/** A command to a handler process. Runs are numbered, so that a late report is not attributed to the next job. */
export type HandlerCommand =
  | LoadCommand
  | { readonly kind: 'run'; readonly run: number; readonly job: HandlerJob }
  | { readonly kind: 'abort'; readonly run: number; readonly reason: string }
  | { readonly kind: 'answer'; readonly run: number; readonly ask: number; readonly answer: AgentAnswer }

/** A report of a handler process. `clean`: nothing of the job is still running, so the next job may be sent. */
export type HandlerReport =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'not-loaded'; readonly failure: ReportedLoadFailure }
  | { readonly kind: 'log'; readonly run: number; readonly message: string }
  | { readonly kind: 'ask'; readonly run: number; readonly ask: number; readonly question: AgentQuestion }
  | {
      readonly kind: 'returned'
      readonly run: number
      readonly checked: CheckedOutput
      readonly clean: boolean
    }
  | {
      readonly kind: 'threw'
      readonly run: number
      readonly failure: HandlerFailure
      readonly clean: boolean
    }
  | { readonly kind: 'clean'; readonly run: number }
  /** An uncaught error, with the job that caused it if that is known. */
  | {
      readonly kind: 'stray'
      readonly run: number | undefined
      readonly jobId: string | undefined
      readonly failure: HandlerFailure
    }

/**
 * Reads a message of a handler process; undefined for other messages, because handlers may send messages of their own.
 */
export function readHandlerReport(message: unknown): HandlerReport | undefined {
  if (!isObject(message)) return undefined
  const { kind, run, clean } = message
  if (kind === 'loaded') return { kind }
  if (kind === 'not-loaded') return { kind, failure: readLoadFailure(message['failure']) }
  if (kind === 'stray') {
    const jobId = readText(message['jobId'])
    return { kind, run: readNumber(run), jobId, failure: readFailure(message['failure']) }
  }
  if (typeof run !== 'number') return undefined
  if (kind === 'log') return { kind, run, message: readText(message['message']) ?? '' }
  if (kind === 'ask') return readAsk(run, message)
  if (kind === 'clean') return { kind, run }
  if (kind === 'returned')
    return { kind, run, checked: readChecked(message['checked']), clean: clean === true }
  if (kind === 'threw') return { kind, run, failure: readFailure(message['failure']), clean: clean === true }
  return undefined
}

function readAsk(
  run: number,
  { ask, question }: { readonly [key: string]: unknown },
): Extract<HandlerReport, { kind: 'ask' }> | undefined {
  if (typeof ask !== 'number' || !isObject(question)) return undefined
  const { kind, order, request } = question
  if (kind === 'allowance' || kind === 'budget') return { kind: 'ask', run, ask, question: { kind } }
  if (kind === 'spend') return { kind: 'ask', run, ask, question: { kind, order } }
  if (kind !== 'hire' || typeof request !== 'string') return undefined
  return { kind: 'ask', run, ask, question: { kind, request } }
}

function readLoadFailure(value: unknown): ReportedLoadFailure {
  const { message, hint, details } = isObject(value) ? value : {}
  return {
    message: readText(message) ?? '',
    hint: readText(hint) ?? '',
    details: readTexts(details),
  }
}

function readFailure(value: unknown): HandlerFailure {
  const { logText, at, typed } = isObject(value) ? value : {}
  const { errorType, message } = isObject(typed) ? typed : {}
  return {
    logText: readText(logText) ?? '',
    at: readText(at),
    typed: isErrorType(errorType) && typeof message === 'string' ? { errorType, message } : undefined,
  }
}

function readChecked(value: unknown): CheckedOutput {
  const { violation, dropped, json, unwritable } = isObject(value) ? value : {}
  const { field, reason } = isObject(violation) ? violation : {}
  const isViolation = typeof field === 'string' && typeof reason === 'string'
  return {
    violation: isViolation ? { field, reason } : undefined,
    dropped: readTexts(dropped),
    json: readOutput(json, isViolation),
    unwritable: readText(unwritable),
  }
}

/**
 * Returns the output's JSON if it is acceptable. Handlers can forge this message, so the text is checked: only a JSON
 * object can be charged for. Output that violates its schema is never charged for, and dev mode passes on any JSON
 * value.
 */
function readOutput(text: unknown, isViolation: boolean): string | undefined {
  if (typeof text !== 'string' || text.length > MAX_RESPONSE_BYTES || LONE_SURROGATE.test(text))
    return undefined
  try {
    const output: unknown = JSON.parse(text)
    return isViolation || (isObject(output) && !Array.isArray(output)) ? text : undefined
  } catch {
    return undefined
  }
}

/** Half of a surrogate pair, which UTF-8 cannot encode; `JSON.stringify` writes it as an escape. */
const LONE_SURROGATE = /\p{Surrogate}/u

function isErrorType(value: unknown): value is ErrorType {
  return typeof value === 'string' && Object.hasOwn(ERROR_STATUS, value)
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function readTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
}

function readNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
