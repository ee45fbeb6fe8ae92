import type { PaymentCase } from '../../trial/payment-case.ts'

/** Valid payments in every equivalent spelling. */
export const spellingCases: readonly PaymentCase[] = [
  { sent: 'a good payment', expected: 'settled', change: () => undefined },
  {
    sent: 'a good payment, its addresses in small letters in the JSON',
    expected: 'settled',
    change: ({ body }, { subject }) => {
      body.paymentRequirements.payTo = subject.payTo.toLowerCase()
      body.paymentPayload.accepted.payTo = subject.payTo
    },
  },
  {
    sent: 'a good payment, its addresses in capitals in the JSON, which is no checksum',
    expected: 'truthful',
    promise: 'settled',
    change: ({ body, payer }, { subject }) => {
      const capitals = (address: string): string => `0x${address.slice(2).toUpperCase()}`
      body.paymentRequirements.payTo = capitals(subject.payTo)
      body.paymentPayload.accepted.payTo = subject.payTo.toLowerCase()
      body.paymentPayload.payload.authorization.from = capitals(payer)
    },
  },
  {
    sent: 'a good payment with fields nobody knows',
    expected: 'settled',
    change: ({ body }) => {
      Object.assign(body, { note: 'hello' })
      Object.assign(body.paymentPayload, { extensions: { 'somebody-elses': { x: 1 } } })
      Object.assign(body.paymentPayload.payload, { memo: [1, 2, 3] })
    },
  },
]
