import type { RunningJob, SavedJob, SettledJob, UnpaidJob } from '../job.ts'

// A job in each state, for the tests of the stores.

const payer = '0x1111111111111111111111111111111111111111'

export const running: RunningJob = { version: 1, state: 'running', payer, deadlineMs: 4e12, overran: false }

export const unpaid: UnpaidJob = {
  version: 1,
  state: 'unpaid',
  payer,
  response: '{}',
  amount: '10000',
  reason: 'insufficient_funds',
  paymentResponse: 'e30=',
  refusedPayments: ['p0'],
}

export const settled: SettledJob = {
  version: 1,
  state: 'settled',
  payer,
  response: '{"ok":true}',
  paymentResponse: 'e30=',
}

/** A job whose settlement is open. */
export const saved: SavedJob = {
  version: 1,
  state: 'saved',
  payer,
  jobId: '8A1B4c2d-0000-4000-8000-000000000001',
  response: '{"ok":true}',
  payment: {
    key: 'eip155:8453:usdc:payer:nonce',
    authorization: {
      from: payer,
      to: payer,
      value: '10000',
      validAfter: '0',
      validBefore: '99',
      nonce: '0x01',
    },
    signature: '0x02',
    requirement: {
      scheme: 'exact',
      network: 'eip155:8453',
      amount: '10000',
      asset: payer,
      payTo: payer,
      maxTimeoutSeconds: 60,
      extra: { name: 'USD Coin', version: '2' },
    },
    binding: '0x03',
  },
  refusedPayments: [],
}
