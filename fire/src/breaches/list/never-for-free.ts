import type { Breach } from '../breach.ts'
import { AGENT, PAYMENTS } from './folders.ts'

/** P4 and I3: no work without payment, no output without proof. */
export const NEVER_FOR_FREE: readonly Breach[] = [
  {
    name: 'unpaid-200',
    promises: ['P4', 'I3'],
    breaks: 'who sends no payment is served as in dev mode',
    edits: [
      {
        file: `${AGENT}/execute/pipeline.ts`,
        find: 'payments !== undefined && arrived.paymentHeaders.length === 0',
        replace: 'payments !== undefined && arrived.paymentHeaders.length < 0',
      },
      {
        file: `${AGENT}/execute/pipeline.ts`,
        find: 'const payment = payments && provePayer(payments, arrived)',
        replace:
          'const payment = payments && arrived.paymentHeaders.length > 0 ? provePayer(payments, arrived) : undefined',
      },
    ],
    tests: [{ file: `${AGENT}/execute/pipeline.test.ts` }],
  },
  {
    name: 'dev-mode-by-any-word',
    promises: ['P4'],
    breaks: 'any value of SERVICE_DEV_MODE but `false` turns payments off',
    edits: [
      {
        file: `${AGENT}/config/read-environment.ts`,
        find: "if (value === 'true') return true",
        replace: "if (value !== undefined && value !== 'false') return true",
      },
    ],
    tests: [{ file: `${AGENT}/config/read-environment.test.ts` }],
  },
  {
    name: 'output-before-settle',
    promises: ['P4', 'I3'],
    breaks: 'the output leaves while its payment is not proven',
    edits: [
      {
        file: `${AGENT}/execute/settle-payment.ts`,
        find: 'if (known === undefined) return answerPending(saved.jobId)',
        replace: `const { response } = saved.held.job as { response: string }
  if (known?.state !== 'settled')
    return answerSettled({ version: 1, state: 'settled', payer: '', response, paymentResponse: '' })`,
      },
    ],
    tests: [{ file: `${AGENT}/execute/settle-payment.test.ts` }],
  },
  {
    name: 'price-compared-loosely',
    promises: ['P4'],
    breaks: 'a payment of another amount than the price is taken, as long as it is not smaller',
    edits: [
      {
        file: `${PAYMENTS}/check-payment.ts`,
        find: 'if (authorization.value !== requirement.amount) {',
        replace: 'if (BigInt(authorization.value) < BigInt(requirement.amount)) {',
      },
    ],
    tests: [{ file: `${PAYMENTS}/check-payment.test.ts` }],
  },
  {
    name: 'pay-to-unchecked',
    promises: ['P4', 'I3'],
    breaks: "a payment to another wallet than the agent's is taken",
    edits: [
      {
        file: `${PAYMENTS}/check-payment.ts`,
        find: 'if (!sameAddress(authorization.to, requirement.payTo)) {',
        replace: 'if (!sameAddress(requirement.payTo, requirement.payTo)) {',
      },
    ],
    tests: [{ file: `${PAYMENTS}/check-payment.test.ts` }],
  },
  {
    name: 'transfer-not-required',
    promises: ['I3', 'I7'],
    breaks: 'a receipt proves a payment without the Transfer event',
    edits: [
      {
        file: `${PAYMENTS}/chain-proof.ts`,
        find: 'if (used === -1) return false\n',
        replace: 'return used !== -1\n',
      },
    ],
    tests: [{ file: `${PAYMENTS}/chain-proof.test.ts` }],
  },
  {
    name: 'success-without-transaction',
    promises: ['I3'],
    breaks: 'a facilitator is believed that names no transaction',
    edits: [
      {
        file: `${PAYMENTS}/facilitator-client.ts`,
        find: 'return HASH.test(transaction)\n',
        replace: 'return transaction !== undefined\n',
      },
    ],
    tests: [{ file: `${PAYMENTS}/facilitator-client.test.ts` }],
  },
]
