// Written by farebox types from agent.json; farebox dev keeps it fresh. Do not edit.

import type { JobContext } from 'farebox'

export type ShoutInput = {
  /** At most 500 characters. */
  text: string
}

export type ShoutOutput = {
  text: string
}

export type Handlers = {
  /** The text in capitals. 0.001 USDC a job. */
  shout: (input: ShoutInput, context: JobContext) => ShoutOutput | Promise<ShoutOutput>
}

/** For a default export that is just the function. */
export type Handler = Handlers['shout']
