import type { JobContext, JsonObject } from 'farebox'
import type { ErrorType } from '../oracle/answer-table.ts'

/** Planted in everything a handler throws that is not meant for callers: it must never come out. */
export const CANARY = 'CANARY-7f3a-secret-of-the-handler'

/** What a handler can work with. */
export interface HandlerScene {
  /** An output that the schema takes. */
  readonly output: JsonObject
  readonly input: JsonObject
  readonly context: JobContext
}

/** How the answer must turn out, where nothing before the handler was wrong. */
export type Outcome =
  /** 200 with the valid output. */
  | { readonly kind: 'done' }
  /** 200 with whatever JSON makes of what was returned, or 500 where it makes nothing of it: dev mode's rule (D20). */
  | { readonly kind: 'as JSON' }
  /** 500 `Internal error`. */
  | { readonly kind: 'broken' }
  /** 200 or 500 `Internal error`. */
  | { readonly kind: 'done or broken' }
  /** 408: the handler outlives the deadline. */
  | { readonly kind: 'late' }
  | { readonly kind: 'told'; readonly status: number; readonly errorType: ErrorType; readonly error: string }

/** Something a handler may do. */
export interface Behaviour {
  /** With payments on. */
  readonly paid: Outcome
  readonly dev: Outcome
  /** Does not end by itself: the clock has to be moved. */
  readonly takesTime?: boolean
  /** What it returns, made anew at each call; thrown errors and promises are part of it. */
  readonly run: (scene: HandlerScene) => unknown
}

export const DONE: Outcome = { kind: 'done' }
export const BROKEN: Outcome = { kind: 'broken' }
export const AS_JSON: Outcome = { kind: 'as JSON' }
export const LATE: Outcome = { kind: 'late' }
export const DONE_OR_BROKEN: Outcome = { kind: 'done or broken' }
