import type { Mutant } from './mutant.ts'

/** Breaks of the facilitator: its ledger, its transactions, and what it says of them. */
export const FACILITATOR_MUTANTS: readonly Mutant[] = [
  {
    name: 'no-binding',
    breaks: 'the facilitator keeps the first job of a payment: here it takes any',
    edits: [
      {
        in: 'facilitator/hold',
        find: 'if (row.binding !== request.binding || !sameTerms(row, payment))',
        replace: 'if (!sameTerms(row, payment))',
      },
      {
        in: 'facilitator/capture',
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
        in: 'facilitator/raiseFees',
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
        in: 'facilitator/createMemoryPayments',
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
        in: 'facilitator/capture',
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
        in: 'facilitator/awaitSettlement',
        find: "if (end?.kind === 'failed') return failed(engine, request, end)",
        replace: `if (end?.kind === 'failed') return failed(engine, request, end)
  if (transaction !== '') return settled(engine, request, transaction)`,
      },
    ],
  },
  {
    name: 'carried-is-settled',
    breaks: 'only what a receipt proves is reported as settled: here all that its transaction carried',
    edits: [
      {
        in: 'facilitator/close',
        find: 'parts.onProven([...paid].map(key =>',
        replace: 'parts.onProven(transaction.payments.map(({ key }) =>',
      },
    ],
  },
  {
    name: 'no-reconciler',
    breaks: 'the ledger follows the chain: here it does not',
    edits: [
      {
        in: 'facilitator/startReconciler',
        find: 'await reconcile(parts, passes)',
        replace: 'await Promise.resolve(passes)',
      },
    ],
  },
]
