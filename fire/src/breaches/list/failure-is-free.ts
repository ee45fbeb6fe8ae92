import type { Breach } from '../breach.ts'

/** P3, I5 and I7: a failure costs nothing, what is not known is not a failure, and the ledger is the chain. */
export const FAILURE_IS_FREE: readonly Breach[] = [
  {
    name: 'pending-answered-402',
    promises: ['P3', 'I5'],
    breaks: 'while a payment is being charged the caller is told that it failed',
    edits: [
      {
        in: 'farebox/settlePayment',
        find: 'if (known === undefined) return answerPending(saved.jobId)',
        replace: 'if (known === undefined) return { ...answerPending(saved.jobId), status: 402 }',
      },
    ],
    tests: [{ file: 'farebox/settle-payment.test.ts' }],
  },
  {
    name: 'unknown-is-failed',
    promises: ['P3', 'I5'],
    breaks: 'a settlement that nobody answered counts as refused',
    edits: [
      {
        in: 'payments/createFacilitatorClient',
        find: "return { kind: 'unknown', cause: causeOf(error, hide) }",
        replace: "return { kind: 'failed', reason: 'timeout', message: '', transaction: '' }",
      },
    ],
    tests: [{ file: 'payments/facilitator-client.test.ts' }],
  },
  {
    name: 'broken-facilitator-is-a-verdict',
    promises: ['P3', 'I5'],
    breaks: 'a 502 that says `success: false` counts as a refusal, though a transfer may be under way',
    edits: [
      {
        in: 'payments/isVerdictStatus',
        find: 'status >= 200 && status < 500 &&',
        replace: 'status >= 200 && status < 600 &&',
      },
    ],
    tests: [{ file: 'payments/facilitator-client.test.ts' }],
  },
  {
    name: 'late-result-answered-200',
    promises: ['P3'],
    breaks: 'a handler that blocks past its deadline is answered 200, and charged for',
    edits: [
      {
        in: 'farebox/withinDeadline',
        find: 'if (clock.nowMs() < deadline.atMs) return result',
        replace: 'return result',
      },
    ],
    tests: [{ file: 'farebox/pipeline.test.ts' }],
  },
  {
    name: 'released-hold-charged',
    promises: ['P3', 'I5'],
    breaks: 'what an agent gave back after a failure can still be charged',
    edits: [
      {
        in: 'facilitator/migrations/capture',
        find: "where p.key = p_key and p.state in ('held', 'expired') and p.binding",
        replace: "where p.key = p_key and p.state in ('held', 'expired', 'released') and p.binding",
      },
    ],
    tests: [{ file: 'facilitator/ledger.test.ts' }],
  },
  {
    name: 'transaction-sent-before-saved',
    promises: ['I7'],
    breaks: 'a signed transaction goes to the chain before the ledger has it',
    edits: [
      {
        in: 'facilitator/submit',
        find: '  const id = await parts.settlements.submit(\n',
        replace: '  await parts.node.broadcast(signed.raw)\n  const id = await parts.settlements.submit(\n',
      },
    ],
    tests: [{ file: 'facilitator/recovery.test.ts', only: 'PAY-22' }],
  },
  {
    name: 'reorganisation-not-noticed',
    promises: ['I7'],
    breaks: 'a settled row stays settled when its block is gone',
    edits: [
      {
        in: 'facilitator/revisitSettled',
        find: 'else await follow(parts, record, used.has(record.key) ? receipt : undefined)',
        replace: 'else await Promise.resolve(follow)',
      },
    ],
    tests: [{ file: 'facilitator/recovery.test.ts', only: 'PAY-18' }],
  },
  {
    name: 'foreign-settlement-not-noticed',
    promises: ['I7'],
    breaks: 'a payment that somebody else submitted stays uncharged in the ledger',
    edits: [
      {
        in: 'facilitator/look',
        find: 'const verdict = observation.used ? await reader.findSettlement(record) : undefined',
        replace: 'const verdict = observation.used ? undefined : await reader.findSettlement(record)',
      },
    ],
    tests: [{ file: 'facilitator/recovery.test.ts', only: 'I7' }],
  },
  {
    name: 'failure-told-late',
    promises: ['P3', 'I5'],
    breaks: 'a failure reported late is not rechecked, whatever became of the job meanwhile',
    edits: [
      {
        in: 'farebox/releaseJob',
        find: "if (word !== 'ours' || !isStale(service.clock, askedMs)) return word",
        replace: "if (word !== 'ours' || isStale !== undefined || askedMs < 0) return word",
      },
    ],
    tests: [{ file: 'farebox/find-repeat.test.ts', only: 'reported after a pause' }],
  },
  {
    name: 'overrun-told-late',
    promises: ['P3', 'I5'],
    breaks: 'an overrun reported late is not rechecked, whatever became of the job meanwhile',
    edits: [
      {
        in: 'farebox/releaseJob',
        find: 'kept.then(async ours => ours && (await held.isStillHeld()))',
        replace: 'kept',
      },
    ],
    tests: [{ file: 'farebox/find-repeat.test.ts', only: 'an overrun noticed late' }],
  },
  {
    name: 'refusal-told-late',
    promises: ['P3', 'I5'],
    breaks: 'a refusal is sent after any lookup, however long that took',
    edits: [
      {
        in: 'farebox/findRepeat',
        find: "if (terms.kind === 'agreed' || !isStale(service.clock, askedMs)) return undefined",
        replace: 'if (isStale !== undefined || askedMs < 0) return undefined',
      },
    ],
    tests: [{ file: 'farebox/find-repeat.test.ts', only: 'read slowly' }],
  },
]
