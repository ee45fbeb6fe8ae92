import { decodePaymentHeader as decode } from '@farebox/payments/x402/payment-header'
import { remember } from './remember.ts'

export * from '@farebox/payments/x402/payment-header'

/** Stands in for the reading of a payment header: in a history the same few come again and again. */
export const decodePaymentHeader: typeof decode = remember(decode)
