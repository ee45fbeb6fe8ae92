import { foreignText, foreignValue } from '../exchange/foreign-text.ts'

/** The reasons to refuse a payment offer, in the order in which they are checked. */
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
 * The agent asked for a payment that this package refuses: another price or wallet than in its `/about`, a token or chain
 * that is not in the built-in table, or more than the caller allowed. Nothing was signed.
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
  /** A description of the acceptable value. */
  readonly expected: string
  /** The value that the agent asked for, quoted. */
  readonly got: string

  constructor(disagreement: Disagreement, expected: string, got: unknown) {
    const shown = foreignValue(got)
    super(`nothing was signed: ${disagreement} must be ${foreignText(expected)}, got ${shown}`)
    this.disagreement = disagreement
    this.expected = expected
    this.got = shown
  }
}
