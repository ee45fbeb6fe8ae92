import { usageError } from '../../command-error.ts'
import { readAmount } from '../../terminal/read-option.ts'

export interface RawRunOptions {
  readonly input?: readonly string[]
  readonly inputFile?: string
  readonly maxTotal?: string
  readonly sign?: string
  readonly payAgain?: true
  readonly wallet?: string
  readonly passwordFile?: string
  readonly platform?: string
  readonly json?: true
}

export type SignOrder = 'upfront' | 'just-in-time'

/** Reads the value of `--sign`. */
export function readSignOrder(text: string | undefined): SignOrder {
  if (text === undefined || text === 'upfront' || text === 'just-in-time') return text ?? 'upfront'
  throw usageError('--sign must be upfront or just-in-time', '')
}

/** Validates the value of `--max-total`. */
export function checkMaxTotal(text: string | undefined): string | undefined {
  if (text !== undefined) readAmount('--max-total', text, '0.05')
  return text
}
