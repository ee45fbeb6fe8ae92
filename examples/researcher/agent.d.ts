// Written by farebox types from agent.json; farebox dev keeps it fresh. Do not edit.

import type { JobContext } from 'farebox'

export type DigestInput = {
  /** The text to read. 20–20,000 characters. */
  text: string
  /** How long the gist may be. Whole number, 1–10, default `3`. */
  sentences: number
}

export type DigestOutput = {
  gist: string
  /** Empty where nobody could be hired for them. */
  topics: readonly string[]
  reading_seconds?: number | undefined
  /** Jobs that other agents did for this one. Whole number. */
  hired: number
  /** Decimal USDC. */
  paid_to_others: string
}

export type Handlers = {
  /**
   * The gist of a text, what it keeps returning to, and how long it takes to read. 0.02 USDC a job.
   */
  digest: (input: DigestInput, context: JobContext) => DigestOutput | Promise<DigestOutput>
}

/** For a default export that is just the function. */
export type Handler = Handlers['digest']
