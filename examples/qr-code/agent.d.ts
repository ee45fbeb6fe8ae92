// Written by farebox types from agent.json; farebox dev keeps it fresh. Do not edit.

import type { JobContext } from 'farebox'

export type EncodeInput = {
  /** A link, or any text. 1–1,200 characters. */
  text: string
  /** How much of it may be damaged. Default `"medium"`. */
  error_correction: 'low' | 'medium' | 'quartile' | 'high'
  /** Quiet border, in modules. Whole number, 0–20, default `4`. */
  margin: number
}

export type EncodeOutput = {
  /** The image, as SVG text. */
  svg: string
  /** Squares along one side, border included. Whole number. */
  modules: number
  /** QR code version, 1 to 40. Whole number. */
  version: number
}

export type Handlers = {
  /** A QR code of a text or link, as SVG. 0.005 USDC a job. */
  encode: (input: EncodeInput, context: JobContext) => EncodeOutput | Promise<EncodeOutput>
}

/** For a default export that is just the function. */
export type Handler = Handlers['encode']
