import type { Mutant } from './mutant.ts'

const facilitator = 'packages/facilitator/src'

/** Breaks of the facilitator: its ledger, its transactions, and what it says of them. */
export const FACILITATOR_MUTANTS: readonly Mutant[] = [
  {
    name: 'no-binding',
    breaks: 'the facilitator keeps the first job of a payment: here it takes any',
    edits: [
      {
        file: `${facilitator}/ledger/memory/memory-payments.ts`,
        find: 'if (row.binding !== request.binding || !sameTerms(row, payment))',
        replace: 'if (!sameTerms(row, payment))',
      },
      {
        file: `${facilitator}/ledger/memory/memory-payments.ts`,
        find: 'if (row.binding !== binding || row.owner !== owner || !sameTerms(row, payment))',
        replace: 'if (row.owner !== owner || !sameTerms(row, payment))',
      },
    ],
  },
  {
    name: 'second-nonce',
    breaks: 'a stuck transaction is replaced under its own nonce: here under the next',
    edits: [
      {
        file: `${facilitator}/chain/raise-fees.ts`,
        find: 'parts.relayer.sign(call, transaction.nonce, fees)',
        replace: 'parts.relayer.sign(call, transaction.nonce + 1, fees)',
      },
    ],
  },
  {
    name: 'release-after-capture',
    isRare: true,
    breaks: 'only a hold can be given back: here a charge under way too',
    edits: [
      {
        file: `${facilitator}/ledger/memory/memory-payments.ts`,
        find: "one => one.holdId === holdId && one.owner === owner && one.state === 'held',",
        replace: 'one => one.holdId === holdId && one.owner === owner,',
      },
    ],
  },
  {
    name: 'charge-after-release',
    isRare: true,
    breaks: 'what was given back is not charged: here it is',
    edits: [
      {
        file: `${facilitator}/ledger/memory/memory-payments.ts`,
        find: "    case 'held':\n    case 'expired': {",
        replace: "    case 'held':\n    case 'released' as never:\n    case 'expired': {",
      },
    ],
  },
  {
    name: 'pending-is-settled',
    breaks: 'the facilitator says settled when it is proven: here when it is sent',
    edits: [
      {
        file: `${facilitator}/engine/settle-payment.ts`,
        find: "if (end?.kind === 'failed') return failed(engine, request, end)",
        replace: `if (end?.kind === 'failed') return failed(engine, request, end)
  if (transaction !== '') return settled(engine, request, transaction)`,
      },
    ],
  },
  {
    name: 'no-reconciler',
    breaks: 'the ledger follows the chain: here it does not',
    edits: [
      {
        file: `${facilitator}/reconcile.ts`,
        find: 'await reconcile(parts, rounds)',
        replace: 'await Promise.resolve(rounds)',
      },
    ],
  },
]
