import type { Breach } from '../breach.ts'

/** P2 and I4: what was paid for can be had. */
export const SAVED_BEFORE_MONEY: readonly Breach[] = [
  {
    name: 'save-skipped',
    promises: ['P2', 'I4'],
    breaks: 'a payment is charged for a response that was never written down',
    edits: [
      {
        in: 'farebox/createLeaseKeeper',
        find: 'const held = await renewNow(holding, next)',
        replace:
          "const held = next.state === 'saved' ? await Promise.resolve(true) : await renewNow(holding, next)",
      },
    ],
    tests: [{ file: 'farebox/renew-leases.test.ts' }],
  },
  {
    name: 'paid-response-forgotten-soon',
    promises: ['P2', 'I4'],
    breaks: 'a paid response is kept for ten seconds',
    edits: [
      {
        in: 'farebox/createSettlements',
        find: 'keepMs: RESPONSE_KEPT_SECONDS * 1_000,',
        replace: 'keepMs: 10_000,',
      },
    ],
    tests: [{ file: 'farebox/find-repeat.test.ts' }],
  },
  {
    name: 'crashed-settlement-not-taken-up',
    promises: ['P2', 'P3'],
    breaks: 'what a dead process was settling is left as it is',
    edits: [
      {
        in: 'farebox/takeUpUnresolved',
        find: 'for (const jobKey of own.slice(0, MAX_PER_ROUND)) {',
        replace: 'for (const jobKey of own.slice(0, 0)) {',
      },
    ],
    tests: [{ file: 'farebox/settle-payment.test.ts' }],
  },
  {
    name: 'failure-reported-before-it-is-written',
    promises: ['P3', 'I5'],
    breaks:
      'a settlement that failed is reported while the record still says that the payment is to be charged',
    edits: [
      {
        in: 'farebox/createSettlements',
        find: "if (known?.state === 'settled') tell(known)",
        replace: 'if (known !== undefined) tell(known as SettledJob)',
      },
    ],
    tests: [{ file: 'farebox/settle-payment.test.ts', only: 'a failure is reported once it is recorded' }],
  },
  {
    name: 'success-never-written',
    promises: ['P2', 'I4'],
    breaks: 'a success that was told is not written down afterwards',
    edits: [
      {
        in: 'farebox/createSettlements',
        find: "if (known?.state === 'settled') tell(known)",
        replace: "if (known?.state === 'settled') {\n        tell(known)\n        return known\n      }",
      },
    ],
    tests: [{ file: 'farebox/settle-payment.test.ts', only: 'not written down yet' }],
  },
  {
    name: 'saved-job-forgotten',
    promises: ['I4'],
    breaks: 'a response whose payment is being charged can be swept away',
    edits: [
      {
        in: 'farebox/forgetAt',
        find: "return job.state === 'saved' ? Number.POSITIVE_INFINITY : atMs",
        replace: 'return job.state === undefined ? Number.POSITIVE_INFINITY : atMs',
      },
    ],
    tests: [{ file: 'farebox/memory-store.test.ts' }],
  },
  {
    name: 'answer-of-any-size',
    promises: ['P2', 'I4'],
    breaks: 'an answer that no reader takes is saved and charged for',
    edits: [
      {
        in: 'farebox/writeResponse',
        find: 'const refused = refuseResponse(Buffer.from(response))',
        replace: "const refused = refuseResponse(Buffer.from(response === '' ? response : '{}'))",
      },
    ],
    tests: [{ file: 'farebox/pipeline.test.ts' }],
  },
  {
    name: 'charge-forgotten-with-its-record',
    promises: ['P2', 'I4', 'P3', 'I5'],
    breaks: 'a job that was charged is refused when its record was lost, as if nothing had been charged',
    edits: [
      {
        in: 'farebox/refuseUnlessCharged',
        find: "  if (past.kind === 'none') {\n    service.admission.failed(payment.payer)",
        replace:
          "  if (past.kind === 'none' || past.kind === 'open') {\n    service.admission.failed(payment.payer)",
      },
    ],
    tests: [{ file: 'farebox/deliver-charged.test.ts' }],
  },
]
