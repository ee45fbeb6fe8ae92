import type { Breach } from '../breach.ts'
import { AGENT, CLIENT, FACILITATOR, PAYMENTS, PROTOCOL } from './folders.ts'

/** P5 and I8: what strangers write harms nobody, and who is nobody gets nothing. */
export const STRANGERS: readonly Breach[] = [
  {
    name: 'signer-not-compared',
    promises: ['I8', 'P1'],
    breaks: 'a payment signed by anybody counts as its payer’s',
    edits: [
      {
        file: `${PAYMENTS}/check-payment.ts`,
        find: 'if (signer === undefined || signer !== authorization.from) {',
        replace: 'if (signer === undefined) {',
      },
    ],
    tests: [{ file: `${PAYMENTS}/check-payment.test.ts` }],
  },
  {
    name: 'payer-not-compared',
    promises: ['I8', 'P2'],
    breaks: 'whoever pays anything gets the response that somebody else paid for',
    edits: [
      {
        file: `${AGENT}/execute/find-repeat.ts`,
        find: "if (job.payer !== (payment?.payer ?? '')) throw new PaymentError('this job_id is in use by another payer')",
        replace:
          "if (job.state !== 'settled' && job.payer !== (payment?.payer ?? '')) throw new PaymentError('not yours')",
      },
    ],
    tests: [{ file: `${AGENT}/execute/find-repeat.test.ts` }],
  },
  {
    name: 'failed-job-keeps-its-record',
    promises: ['I8'],
    breaks: 'a refused request leaves a record behind that blocks the job_id for others',
    edits: [
      {
        file: `${AGENT}/execute/let-go.ts`,
        find: ": ({\n          kind: 'forget',\n          ...(failure instanceof PaymentRejected && { payment: failure.paymentKey }),\n        } as const)",
        replace: ": ({ kind: 'leave', job, sealed: false, keepMs: RESPONSE_KEPT_SECONDS * 1_000 } as const)",
      },
    ],
    tests: [{ file: `${AGENT}/execute/pipeline.test.ts` }],
  },
  {
    name: 'secret-compared-loosely',
    promises: ['I8'],
    breaks: 'a secret is good when its public half is',
    edits: [
      {
        file: `${FACILITATOR}/secrets/authenticate.ts`,
        find: 'timingSafeEqual(hashSecret(secret), stored.hash)',
        replace: 'timingSafeEqual(stored.hash, stored.hash)',
      },
    ],
    tests: [{ file: `${FACILITATOR}/http/secrets-routes.test.ts` }],
  },
  {
    name: 'known-secret-compared-loosely',
    promises: ['I8'],
    breaks: 'once a secret was good, everything is that has its public half',
    edits: [
      {
        file: `${FACILITATOR}/secrets/authenticate.ts`,
        find: 'known.length === shown.length && timingSafeEqual(known, shown)',
        replace: 'known.length === shown.length',
      },
    ],
    tests: [{ file: `${FACILITATOR}/http/secrets-routes.test.ts` }],
  },
  {
    name: 'hold-released-by-anybody',
    promises: ['I8'],
    breaks: "one owner's hold is given back by another owner",
    edits: [
      {
        file: `${FACILITATOR}/ledger/memory/memory-payments.ts`,
        find: "one => one.holdId === holdId && one.owner === owner && one.state === 'held',",
        replace: "one => one.holdId === holdId && one.state === 'held',",
      },
    ],
    tests: [{ file: `${FACILITATOR}/ledger/ledger.test.ts` }],
  },
  {
    name: 'content-type-may-be-guessed',
    promises: ['P5'],
    breaks: "a browser may take an agent's words for a page",
    edits: [
      {
        file: `${AGENT}/http/service-routes.ts`,
        find: "  'x-content-type-options': 'nosniff',\n",
        replace: '',
      },
    ],
    tests: [{ file: `${AGENT}/http/fetch-door.test.ts` }],
  },
  {
    name: 'redirect-followed',
    promises: ['P5'],
    breaks: 'an agent sends its caller, payment and all, wherever it likes: into the inside network too',
    edits: [
      {
        file: `${CLIENT}/exchange.ts`,
        find: "redirect: 'manual',",
        replace: "redirect: 'follow',",
      },
    ],
    tests: [{ file: `${CLIENT}/execute.test.ts` }],
  },
  {
    name: 'plain-http-anywhere',
    promises: ['P5'],
    breaks: 'an agent may be an http address of the inside network',
    edits: [
      {
        file: `${CLIENT}/agent-url.ts`,
        find: "if (parsed.protocol === 'http:' && !options.allowHttp && !isLoopback(parsed.hostname)) {",
        replace: "if (parsed.protocol === 'ftp:') {",
      },
    ],
    tests: [{ file: `${CLIENT}/read-about.test.ts` }],
  },
  {
    name: 'patterns-backtrack',
    promises: ['P5', 'P6'],
    breaks: "an owner's pattern runs in an engine that it can hang, in every browser that shows the form",
    edits: [
      {
        file: `${PROTOCOL}/fields/pattern.ts`,
        find: 'return RE2JS.compile(source)',
        replace:
          'return Object.assign(new RegExp(source, "u"), { programSize: () => 1 }) as unknown as RE2JS',
      },
    ],
    tests: [{ file: `${PROTOCOL}/fields/pattern.test.ts`, only: 'is refused with its reason' }],
  },
  {
    name: 'repeat-without-its-salt',
    promises: ['I8'],
    breaks: 'whoever rebuilds a bound payment from the chain, and knows its job_id, gets the response',
    edits: [
      {
        file: `${AGENT}/execute/prove-repeat.ts`,
        find: '    if (names) return\n',
        replace: '    if (names || !names) return\n',
      },
    ],
    tests: [{ file: `${AGENT}/execute/find-repeat.test.ts` }],
  },
]
