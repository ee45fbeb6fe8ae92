import { foreignText, foreignValue } from '../exchange/foreign-text.ts'

/** What an offer to be paid disagreed about; in the order in which they are checked. */
export const DISAGREEMENTS = [
  'scheme',
  'network',
  'asset',
  'price',
  'pay-to',
  'body',
  'max-price',
  'signer',
] as const

/** One of {@link DISAGREEMENTS}. */
export type Disagreement = (typeof DISAGREEMENTS)[number]

/**
 * The agent asked for a payment that we do not make: another price or wallet than its `/about`, a token or
 * chain that is not in our own table, more than the caller allowed. Nothing was signed.
 *
 * @example
 * ```ts
 * import { QuoteRefused } from '@farebox/client/attempt/quote-refused'
 * import { execute } from '@farebox/client/execute'
 *
 * try {
 *   await execute('https://agent.example', 'count', { text: 'hello' }, { maxPrice: '0.01' })
 * } catch (error) {
 *   if (!(error instanceof QuoteRefused)) throw error
 *   console.log(`${error.disagreement}: at most ${error.expected}, asked ${error.got}`)
 * }
 * ```
 */
export class QuoteRefused extends Error {
  override readonly name = 'QuoteRefused'
  readonly disagreement: Disagreement
  /** What would have been right, in words. */
  readonly expected: string
  /** What the agent asked, quoted. */
  readonly got: string

  constructor(disagreement: Disagreement, expected: string, got: unknown) {
    const shown = foreignValue(got)
    super(`nothing was signed: ${disagreement} must be ${foreignText(expected)}, got ${shown}`)
    this.disagreement = disagreement
    this.expected = expected
    this.got = shown
  }
}
