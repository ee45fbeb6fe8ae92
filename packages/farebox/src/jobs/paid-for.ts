import { decodeHeader } from '@farebox/payments/x402/payment-header'
import type { SettledJob } from './job.ts'

/** What a settled job was really paid, in atomic units, as its receipt says; zero in dev mode, where nobody pays. */
export function paidFor({ paymentResponse }: SettledJob): bigint {
  const receipt = paymentResponse === '' ? undefined : decodeHeader(paymentResponse)
  const amount = (receipt as { readonly amount?: unknown } | null | undefined)?.amount
  return typeof amount === 'string' && UINT.test(amount) ? BigInt(amount) : 0n
}

const UINT = /^\d{1,78}$/
