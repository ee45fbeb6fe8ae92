import { decodeHeader, type PaymentResponse } from '@farebox/payments/x402/payment-header'
import { isObject } from '@farebox/protocol/internal/guards/json'

const TRANSACTION = /^0x[0-9a-f]{64}$/i

/**
 * Reads the `PAYMENT-RESPONSE` of a response (D7): the outcome of the payment as the agent reports it. Undefined when it is
 * absent or unreadable. Only the chain proves it.
 */
export function readSettlement(headers: Headers): PaymentResponse | undefined {
  const header = headers.get('payment-response')
  const settled = header === null ? undefined : decodeHeader(header)
  if (!isObject(settled)) return undefined
  const { success, transaction, network } = settled
  if (typeof success !== 'boolean') return undefined
  if (typeof transaction !== 'string' || typeof network !== 'string') return undefined
  return {
    success,
    transaction,
    network,
    ...textOf(settled, 'payer'),
    ...textOf(settled, 'amount'),
    ...textOf(settled, 'errorReason'),
    ...textOf(settled, 'errorMessage'),
  }
}

/** Why a receipt does not confirm that this payment was made on this network; undefined when it does. */
export function refuseSettlement(
  settlement: PaymentResponse | undefined,
  networkId: string,
): string | undefined {
  if (settlement === undefined) return 'the answer carried no PAYMENT-RESPONSE that can be read'
  if (!settlement.success) return 'the PAYMENT-RESPONSE says that the payment failed'
  if (settlement.network !== networkId) return `the PAYMENT-RESPONSE is not of ${networkId}`
  return TRANSACTION.test(settlement.transaction) ? undefined : 'the PAYMENT-RESPONSE names no transaction'
}

function textOf<Key extends string>(
  settled: { readonly [key: string]: unknown },
  key: Key,
): { readonly [key in Key]?: string } {
  const value = settled[key]
  // A computed key widens to an index signature; this object has exactly that key.
  return typeof value === 'string' ? ({ [key]: value } as { [key in Key]: string }) : {}
}
