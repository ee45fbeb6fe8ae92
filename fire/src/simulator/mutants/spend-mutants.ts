import type { Mutant } from './mutant.ts'

/** Breaks of what spends: how often, and what is said of it. That it is not beyond the terms the contract sees to. */
export const SPEND_MUTANTS: readonly Mutant[] = [
  {
    name: 'new-ref-each-run',
    breaks: 'a spend of a job has the same ref each time it is run: here another one',
    edits: [
      {
        in: 'farebox/refOf',
        find: 'return ((BigInt(toHex(hash)) >> 8n) << 8n) | BigInt(index)',
        replace: `const counted = globalThis as { refs?: number }
  counted.refs = ((counted.refs ?? 0) + 1) % 100
  return ((BigInt(toHex(hash)) >> 8n) << 8n) | BigInt(index + 2 * counted.refs)`,
      },
    ],
  },
  {
    name: 'sent-is-spent',
    breaks: 'a spend is done when it is in a block: here when it was sent',
    edits: [
      {
        in: 'farebox/spendOnce',
        find: 'const followed = await follow(tools, planned, sent)',
        replace: `if (attempt >= 0) return { transaction: sent.hash, resumed: false }
      const followed = await follow(tools, planned, sent)`,
      },
    ],
  },
  {
    name: 'failure-hides-spends',
    breaks: 'a failed job names what it moved: here it does not',
    edits: [
      {
        in: 'farebox/spendForJob',
        find: 'if (movements.size === 0) return undefined',
        replace: 'if (movements.size >= 0) return undefined',
      },
    ],
  },
]
