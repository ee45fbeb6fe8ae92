import { ValidationError } from 'farebox'
import { encode, renderSVG } from 'uqr'
import type { EncodeInput, EncodeOutput } from './agent.d.ts'

const LEVELS = { low: 'L', medium: 'M', quartile: 'Q', high: 'H' } as const

/** One capability needs one function. A text too long for the chosen correction is the caller's to shorten: a 400. */
export default function encodeText({ text, error_correction, margin }: EncodeInput): EncodeOutput {
  const options = { ecc: LEVELS[error_correction], border: margin }
  try {
    const { size, version } = encode(text, options)
    return { svg: renderSVG(text, options), modules: size, version }
  } catch {
    throw new ValidationError(
      'text',
      `is too long for ${error_correction} error correction, shorten it or choose a lower one`,
    )
  }
}
