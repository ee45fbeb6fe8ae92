// Written by farebox types from agent.json; farebox dev keeps it fresh. Do not edit.

import type { JobContext } from 'farebox'

export type CountInput = {
  /** The text to count. 1–20,000 characters. */
  text: string
  /** How fast the reader reads. Whole number, 50–1,000, default `220`. */
  words_per_minute: number
}

export type CountOutput = {
  /** Words, numbers included. Whole number. */
  words: number
  /** Whole number. */
  sentences: number
  /** As a reader sees them: an emoji is one. Whole number. */
  characters: number
  /** At the given speed. */
  reading_seconds: number
}

export type FrequentInput = {
  /** The text to look through. 1–20,000 characters. */
  text: string
  /** How many words. Whole number, 1–50, default `5`. */
  top: number
}

export type FrequentOutput = {
  words: readonly {
    word: string
    /** Whole number. */
    count: number
  }[]
}

export type Handlers = {
  /** Words, sentences, characters and reading time of a text. 0.002 USDC a job. */
  count: (input: CountInput, context: JobContext) => CountOutput | Promise<CountOutput>
  /** The words a text uses most, small words left out. 0.003 USDC a job. */
  frequent: (input: FrequentInput, context: JobContext) => FrequentOutput | Promise<FrequentOutput>
}
