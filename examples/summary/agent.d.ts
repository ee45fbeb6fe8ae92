// Written by farebox types from agent.json; farebox dev keeps it fresh. Do not edit.

import type { JobContext } from 'farebox'

export type SummarizeInput = {
  /** The text to shorten. 20–50,000 characters. */
  text: string
  /** How many sentences to keep. Whole number, 1–20, default `3`. */
  sentences: number
  /** Words that matter more. At most 10 items, each: 1–40 characters. */
  focus?: string[]
}

export type SummarizeOutput = {
  summary: string
  sentences: readonly string[]
  /** Share of the text's characters that was kept, from 0 to 1. */
  kept: number
}

export type Handlers = {
  /** The sentences that say most, in the order of the text. 0.01 USDC a job. */
  summarize: (
    input: SummarizeInput,
    context: JobContext,
  ) => SummarizeOutput | Promise<SummarizeOutput>
}

/** For a default export that is just the function. */
export type Handler = Handlers['summarize']
