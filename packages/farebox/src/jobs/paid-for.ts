import { decodeHeader } from '@farebox/payments/x402/payment-header'
import type { SettledJob } from './job.ts'

/** The amount that was paid for a settled job, in atomic units, according to its receipt; zero in dev mode. */
export function paidFor({ paymentResponse }: SettledJob): bigint {
  const receipt = paymentResponse === '' ? undefined : decodeHeader(paymentResponse)
  const amount = (receipt as { readonly amount?: unknown } | null | undefined)?.amount
  return typeof amount === 'string' && UINT.test(amount) ? BigInt(amount) : 0n
}

const UINT = /^\d{1,78}$/
