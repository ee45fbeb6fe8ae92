import type { JsonObject } from '@farebox/protocol/fields/field'

/** A first job for each example agent. `npm start` pays for these jobs, and its suggested commands repeat them. */
export const FIRST_JOBS: {
  readonly [agentName: string]: { readonly capability: string; readonly input: JsonObject }
} = {
  'Text statistics': {
    capability: 'count',
    input: { text: 'A fare is paid once. The ride is given once. Nothing moves if the ride fails.' },
  },
  'QR code': {
    capability: 'encode',
    input: { text: 'https://www.x402.org', margin: '2' },
  },
  Summary: {
    capability: 'summarize',
    input: {
      text:
        'Agents do jobs for other agents. Each job has a price, and the price is known before the job is done. ' +
        'The caller signs a payment for one job, and the signature is good for that job alone. ' +
        'It rained on Tuesday. When the job is delivered the payment is settled, and when the job fails the payment is never used.',
      sentences: 2,
      focus: ['payment'],
    },
  },
  Researcher: {
    capability: 'digest',
    input: {
      text:
        'An agent can hire other agents. It pays them from a wallet of its own, and keeps what is left of its price. ' +
        'A budget bounds what it pays for one job, and another what it pays in a day. ' +
        'When a job fails after others were paid for it, the loss is the agent’s own.',
      sentences: 2,
    },
  },
  // `npm start` does not pay for this job, because the payer has to grant a permission first.
  'Invoice payer': {
    capability: 'pay_invoice',
    input: {
      invoice_number: '2026-0117',
      recipient: '0x976EA74026E726554dB657fA54763abd0C3a0aa9',
      amount: '0.25',
    },
  },
}
