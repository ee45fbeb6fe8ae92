import { isAddress } from '@farebox/payments/crypto/address'
import { readUsdc } from '@farebox/protocol/money/usdc'
import type { JobEvent } from '../messages/messages.ts'

/** What an event means for a job's payment; texts are as logged, not yet safe for a terminal. */
export type MoneyStep =
  | { readonly kind: 'called'; readonly capability: string }
  | { readonly kind: 'verified'; readonly payer: string; readonly amountAtomic: bigint }
  /** The handler's output is valid; it took this many milliseconds. */
  | { readonly kind: 'ran'; readonly tookMs: number }
  | { readonly kind: 'settled'; readonly transaction: string }
  | JobTrouble

/** A failure, with the status of the response; empty when the status is not known. */
export type JobTrouble =
  /** This request was refused; nothing is charged for it. */
  | { readonly kind: 'refused'; readonly status: string; readonly reason: string }
  /** The job failed; nothing is charged. */
  | { readonly kind: 'failed'; readonly status: string; readonly reason: string }
  /** It is not known yet whether the job is charged. */
  | { readonly kind: 'pending'; readonly status: string; readonly reason: string }

/**
 * Reads an event of the runtime's log (D27). Only its fields are used: a handler can log the same message, but no fields.
 * Returns `undefined` for every event that does not concern the payment.
 */
export function readJobStep({ event, fields }: JobEvent): MoneyStep | undefined {
  const text = (name: string): string | undefined => {
    const value = fields[name]
    return typeof value === 'string' ? value : undefined
  }
  if (event === 'execute') return { kind: 'called', capability: text('capability') ?? '' }
  if (event === 'payment verified') return readVerified(text('payer'), text('amount'))
  if (event === 'output valid' && typeof fields['ms'] === 'number')
    return { kind: 'ran', tookMs: fields['ms'] }
  const transaction = text('transaction')
  if (event === 'completed' && transaction !== undefined) return { kind: 'settled', transaction }
  if (event === 'refused' && typeof fields['status'] === 'number') {
    const reason = `${text('error_type') ?? 'payment'}: ${text('reason') ?? ''}`
    return { kind: 'refused', status: String(fields['status']), reason }
  }
  return readTrouble(event, text('at'), text('cause'))
}

function readVerified(payer: string | undefined, amount: string | undefined): MoneyStep | undefined {
  const read = readUsdc(amount)
  return !isAddress(payer) || !read.ok ? undefined : { kind: 'verified', payer, amountAtomic: read.atomic }
}

function readTrouble(
  event: string,
  at: string | undefined,
  cause: string | undefined,
): MoneyStep | undefined {
  // A typed error has its own status, which a later event reports.
  if (event.startsWith('handler error: ') && at !== undefined)
    return { kind: 'failed', status: '', reason: `${event}  ${at}` }
  if (event.startsWith('output refused: ')) return { kind: 'failed', status: '500', reason: event }
  if (cause === undefined) return undefined
  const reason = `${event}: ${cause}`
  if (event === 'the facilitator returned no verdict') return { kind: 'failed', status: '500', reason }
  return event.startsWith('settlement outcome not known yet')
    ? { kind: 'pending', status: '503', reason }
    : undefined
}
