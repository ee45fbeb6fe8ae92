import type { Breach } from '../breach.ts'

/** P4 and I3: no work without payment, no output without proof. */
export const NEVER_FOR_FREE: readonly Breach[] = [
  {
    name: 'unpaid-200',
    promises: ['P4', 'I3'],
    breaks: 'who sends no payment is served as in dev mode',
    edits: [
      {
        in: 'farebox/execute',
        find: 'payments !== undefined && arrived.paymentHeaders.length === 0',
        replace: 'payments !== undefined && arrived.paymentHeaders.length < 0',
      },
      {
        in: 'farebox/execute',
        find: 'return payments === undefined',
        replace: 'return payments === undefined || arrived.paymentHeaders.length === 0',
      },
    ],
    tests: [{ file: 'farebox/pipeline.test.ts' }],
  },
  {
    name: 'dev-mode-by-any-word',
    promises: ['P4'],
    breaks: 'any value of SERVICE_DEV_MODE but `false` turns payments off',
    edits: [
      {
        in: 'farebox/readDevMode',
        find: "if (value === 'true') return true",
        replace: "if (value !== undefined && value !== 'false') return true",
      },
    ],
    tests: [{ file: 'farebox/read-environment.test.ts' }],
  },
  {
    name: 'output-before-settle',
    promises: ['P4', 'I3'],
    breaks: 'the output leaves while its payment is not proven',
    edits: [
      {
        in: 'farebox/settlePayment',
        find: 'if (known === undefined) return answerPending(saved.jobId)',
        replace: `const { response } = saved.held.job as { response: string }
  if (known?.state !== 'settled')
    return answerSettled({ version: 1, state: 'settled', payer: '', response, paymentResponse: '' })`,
      },
    ],
    tests: [{ file: 'farebox/settle-payment.test.ts' }],
  },
  {
    name: 'price-compared-loosely',
    promises: ['P4'],
    breaks: 'a payment of another amount than the price is taken, as long as it is not smaller',
    edits: [
      {
        in: 'payments/checkTerms',
        find: 'if (authorization.value !== requirement.amount) {',
        replace: 'if (BigInt(authorization.value) < BigInt(requirement.amount)) {',
      },
    ],
    tests: [{ file: 'payments/verify-signature.test.ts' }],
  },
  {
    name: 'pay-to-unchecked',
    promises: ['P4', 'I3'],
    breaks: "a payment to another wallet than the agent's is taken",
    edits: [
      {
        in: 'payments/checkTerms',
        find: 'if (!sameAddress(authorization.to, requirement.payTo)) {',
        replace: 'if (!sameAddress(requirement.payTo, requirement.payTo)) {',
      },
    ],
    tests: [{ file: 'payments/verify-signature.test.ts' }],
  },
  {
    name: 'transfer-not-required',
    promises: ['I3', 'I7'],
    breaks: 'a receipt proves a payment without the Transfer event',
    edits: [
      {
        in: 'payments/receiptProvesPayment',
        find: 'if (used === -1) return false\n',
        replace: 'return used !== -1\n',
      },
    ],
    tests: [{ file: 'payments/chain-proof.test.ts' }],
  },
  {
    name: 'success-without-transaction',
    promises: ['I3'],
    breaks: 'a facilitator is believed that names no transaction',
    edits: [
      {
        in: 'payments/readSettle',
        find: 'return HASH.test(transaction)\n',
        replace: 'return transaction !== undefined\n',
      },
    ],
    tests: [{ file: 'payments/facilitator-client.test.ts' }],
  },
]
