import type { Mutant } from './mutant.ts'

/** Breaks of how an agent holds jobs and payments, and of how it asks whether they were charged. */
export const HOLDING_MUTANTS: readonly Mutant[] = [
  {
    name: 'no-payment-claim',
    breaks: 'a payment is claimed for one job: here for any number',
    edits: [
      {
        in: 'farebox/claimPayment',
        find: 'if (kept !== undefined && kept.jobKey !== wish.jobKey) return undefined',
        replace: '',
      },
    ],
  },
  {
    name: 'settle-before-persist',
    breaks: 'a response is saved before its payment is charged: here it is written when all is over',
    edits: [
      {
        in: 'farebox/createLeaseKeeper',
        find: 'const held = await renewNow(holding, next)',
        // The lease seems to last, or who waits for it would wait for ever.
        replace: `holding.leaseEndsMs = clock.nowMs() + LEASE_MS
            const held = await Promise.resolve(true)`,
      },
    ],
  },
  {
    name: 'claim-without-lease',
    breaks: 'a job has one holder at a time: here whoever comes takes it',
    edits: [
      {
        in: 'farebox/claimRow',
        find: 'if (row !== undefined && (row.sealed || isHeld(row, nowMs))) return undefined',
        replace: 'if (row !== undefined && row.sealed) return undefined',
      },
    ],
  },
  {
    name: 'no-fence',
    breaks: 'only the holder of a job writes it: here anybody who held it once',
    edits: [
      {
        in: 'farebox/createMemoryStore',
        find: 'if (row?.fence !== holder.fence) return false',
        replace: 'if (row === undefined) return false',
      },
    ],
  },
  {
    name: 'no-recovery',
    breaks: 'what a crash left is taken up: here it is left',
    edits: [
      {
        in: 'farebox/takeUpUnresolved',
        find: 'for (const jobKey of own.slice(0, MAX_PER_ROUND)) {',
        replace: 'for (const jobKey of own.slice(0, 0)) {',
      },
    ],
  },
  {
    name: 'refusal-is-always-final',
    breaks: 'after a try whose end is not known a refusal says nothing: here it is final',
    edits: [
      {
        in: 'farebox/createFacilitatorGate',
        find: 'isFirst ? reported : doubted(reported)',
        replace: 'reported',
      },
    ],
  },
  {
    name: 'lost-record-is-refusal',
    breaks: 'what was charged is delivered although its record was lost: here it is refused',
    edits: [
      {
        in: 'farebox/checkPastCharge',
        find: "if (outcome.kind === 'none') return outcome",
        replace: "if (outcome.kind !== 'pending') return { kind: 'none' }",
      },
    ],
  },
]
