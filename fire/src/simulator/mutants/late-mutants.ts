import type { Mutant } from './mutant.ts'

/**
 * Breaks of what looks again because time has passed, or because the chain may change its mind. Each of them is how our
 * own code was once; before there were ambushes it took hundreds of thousands of histories to find it. That what took
 * long to be held is judged again is not among them: no caller here asks in the order that it takes, and a test of the
 * facilitator notices it.
 */
export const LATE_MUTANTS: readonly Mutant[] = [
  {
    name: 'spent-at-the-head',
    isRare: true,
    breaks: 'a cancelled payment is refused when its block is buried: here at the head',
    edits: [
      {
        in: 'payments/classifyUse',
        find: 'const isFinal = head.seconds > spentSeconds + network.finalitySeconds',
        replace: 'const isFinal = head.seconds + spentSeconds > 0',
      },
    ],
  },
  {
    name: 'failure-told-late',
    isRare: true,
    breaks: 'who hears late that a job was let go looks again: here it tells what was true then',
    edits: [
      {
        in: 'farebox/releaseJob',
        find: "if (word !== 'ours' || !isStale(service.clock, askedMs)) return word",
        replace: "if (word !== 'ours' || isStale !== undefined || askedMs < 0) return word",
      },
    ],
  },
  {
    name: 'reported-and-never-written',
    breaks: 'a success that was told is written down afterwards: here it is not',
    edits: [
      {
        in: 'farebox/createSettlements',
        find: "if (known?.state === 'settled') tell(known)",
        replace: `if (known?.state === 'settled') {
        tell(known)
        return known
      }`,
      },
    ],
  },
]
