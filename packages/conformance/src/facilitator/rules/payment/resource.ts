import { randomBytes } from 'node:crypto'
import { HOLD_EXTENSION } from '@farebox/payments/x402/facilitator-api'
import type { PaymentCase } from '../../trial/payment-case.ts'

/** The resource that a payment is for, in the hold extension; x402 itself has no bound field for it. */
function bound(binding: string): object {
  return { [HOLD_EXTENSION]: { binding } }
}

/** One payment, two jobs. */
export const resourceCases: readonly PaymentCase[] = [
  {
    sent: 'verified for one job, settled for another',
    expected: 'refused',
    needs: ['holds'],
    change: ({ body }) => Object.assign(body, { extensions: bound(random()) }),
    between: async ({ body }) => Object.assign(body, { extensions: bound(random()) }),
  },
  {
    sent: 'verified for one job, settled for none',
    expected: 'refused',
    needs: ['holds'],
    change: ({ body }) => Object.assign(body, { extensions: bound(random()) }),
    between: async ({ body }) => delete body.extensions,
  },
]

/** Returns 32 random bytes as hex. */
export function random(): string {
  return `0x${randomBytes(32).toString('hex')}`
}
