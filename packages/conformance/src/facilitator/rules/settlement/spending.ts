import { paymentCase, type PaymentCase } from '../../trial/payment-case.ts'
import { numbered } from '../../trial/rule-case.ts'

type Change = Omit<PaymentCase, 'expected' | 'change'>

/** SR7: payments that are valid at verification but no longer at settlement. No transaction may be sent for them. */
const changed: readonly Change[] = [
  { sent: 'the payer’s wallet was emptied', between: (_, { token }, { key }) => token.drain(key) },
  {
    sent: 'the payer is one unit short',
    between: (_, { token }, { key }) => token.spendNonce(key, `0x${'0a'.repeat(32)}`),
  },
  {
    sent: 'the token was paused',
    between: (_, { token }) => token.pause(),
    undo: (_, { token }) => token.unpause(),
  },
  { sent: 'the payer was blacklisted', between: ({ payer }, { token }) => token.blacklist(payer) },
  {
    sent: 'the payee was blacklisted',
    between: (_, { token, subject }) => token.blacklist(subject.payTo),
    undo: (_, { token, subject }) => token.unBlacklist(subject.payTo),
  },
  {
    sent: 'the payer cancelled the authorization',
    between: ({ signed }, { token }, { key }) => token.cancel(key, signed.nonce),
  },
  {
    sent: 'the payer used the nonce for another transfer, and can still pay',
    balanceAtomic: 20_000n,
    between: ({ signed }, { token }, { key }) => token.spendNonce(key, signed.nonce),
  },
  {
    sent: 'the payer’s account got code that refuses its signature',
    between: ({ payer }, { token }) => token.setCode(payer, '0x60205ff3'),
    undo: ({ payer }, { token }) => token.setCode(payer, '0x'),
  },
  {
    sent: 'the price asked went up by a unit',
    between: async ({ terms }) => terms({ amount: '10001' }),
  },
  {
    sent: 'the price asked went down by a unit',
    between: async ({ terms }) => terms({ amount: '9999' }),
  },
  {
    sent: 'another wallet of the same owner is to be paid',
    between: async ({ terms }, { subject }) => terms({ payTo: subject.secondPayTo }),
  },
  {
    sent: 'the signature was replaced',
    between: async ({ body }) => {
      body.paymentPayload.payload.signature = `0x${'11'.repeat(64)}1b`
    },
  },
]

/** SR7: payments are checked again right before a transaction is sent. */
export const spendingCases = numbered(
  'SR7',
  changed.map(one =>
    paymentCase({
      ...one,
      sent: `verified; then ${one.sent}`,
      expected: 'refused',
      change: () => undefined,
    }),
  ),
)
