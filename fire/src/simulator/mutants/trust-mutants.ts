import type { Mutant } from './mutant.ts'

/** Breaks of what is not believed as it is told: nodes (decision 31), and a ledger that lost its last rows. */
export const TRUST_MUTANTS: readonly Mutant[] = [
  {
    name: 'receipt-without-state',
    breaks: 'a receipt counts when events and state agree with it: here by itself',
    edits: [
      {
        in: 'facilitator/verifyReceipt',
        find: `if (proven.some(({ key }) => !shown.has(key)))
    return doubted('it shows a transfer, the events of its block do not')`,
        replace: '',
      },
      {
        in: 'facilitator/verifyReceipt',
        find: "if (proven.some(({ key }) => !used.has(key))) return doubted('it shows a transfer, the state does not')",
        replace: '',
      },
    ],
  },
  {
    name: 'block-time-without-bound',
    isRare: true,
    breaks: 'a block far ahead of our clock is no time to judge by: here it is',
    edits: [
      {
        in: 'payments/plausibleBlockTime',
        find: 'if (blockSeconds <= nowSeconds + MAX_BLOCK_AHEAD_SECONDS) return blockSeconds',
        replace: 'if (nowSeconds > 0) return blockSeconds',
      },
    ],
  },
  {
    name: 'forgotten-is-refused',
    isRare: true,
    breaks: 'what a ledger lost is looked for on the chain: here it is refused as never charged',
    edits: [
      {
        in: 'facilitator/answerForgotten',
        find: "if (charge.kind === 'recovered') return settled(engine, request, charge.transaction)",
        replace: "if (charge.kind === 'recovered') return undefined",
      },
    ],
  },
]
