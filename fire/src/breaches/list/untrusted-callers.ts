import type { Breach } from '../breach.ts'

/** P5 and I8: what strangers write harms nobody, and who is nobody gets nothing. */
export const UNTRUSTED_CALLERS: readonly Breach[] = [
  {
    name: 'signer-not-compared',
    promises: ['I8', 'P1'],
    breaks: 'a payment signed by anybody counts as its payer’s',
    edits: [
      {
        in: 'payments/createSignatureVerifier',
        find: 'if (signer === undefined || signer !== authorization.from) {',
        replace: 'if (signer === undefined) {',
      },
    ],
    tests: [{ file: 'payments/verify-signature.test.ts' }],
  },
  {
    name: 'payer-not-compared',
    promises: ['I8', 'P2'],
    breaks: 'whoever pays anything gets the response that somebody else paid for',
    edits: [
      {
        in: 'farebox/findRepeat',
        find: "if (job.payer !== (payment?.payer ?? '')) throw new PaymentError('this job_id is in use by another payer')",
        replace:
          "if (job.state !== 'settled' && job.payer !== (payment?.payer ?? '')) throw new PaymentError('not yours')",
      },
    ],
    tests: [{ file: 'farebox/find-repeat.test.ts' }],
  },
  {
    name: 'failed-job-keeps-its-record',
    promises: ['I8'],
    breaks: 'a refused request leaves a record behind that blocks the job_id for others',
    edits: [
      {
        in: 'farebox/releaseJob',
        find: ": ({\n          kind: 'forget',\n          ...(failure instanceof PaymentRejected && { payment: failure.paymentKey }),\n        } as const)",
        replace: ": ({ kind: 'leave', job, sealed: false, keepMs: RESPONSE_KEPT_SECONDS * 1_000 } as const)",
      },
    ],
    tests: [{ file: 'farebox/pipeline.test.ts' }],
  },
  {
    name: 'secret-compared-loosely',
    promises: ['I8'],
    breaks: 'a secret is good when its public half is',
    edits: [
      {
        in: 'facilitator/createAuthenticate',
        find: 'timingSafeEqual(hashSecret(secret), stored.hash)',
        replace: 'timingSafeEqual(stored.hash, stored.hash)',
      },
    ],
    tests: [{ file: 'facilitator/secrets-routes.test.ts' }],
  },
  {
    name: 'known-secret-compared-loosely',
    promises: ['I8'],
    breaks: 'once a secret was good, everything is that has its public half',
    edits: [
      {
        in: 'facilitator/isSame',
        find: 'known.length === shown.length && timingSafeEqual(known, shown)',
        replace: 'known.length === shown.length',
      },
    ],
    tests: [{ file: 'facilitator/secrets-routes.test.ts' }],
  },
  {
    name: 'hold-released-by-anybody',
    promises: ['I8'],
    breaks: "one owner's hold is given back by another owner",
    edits: [
      {
        in: 'facilitator/createMemoryPayments',
        find: "one => one.holdId === holdId && one.owner === owner && one.state === 'held',",
        replace: "one => one.holdId === holdId && one.state === 'held',",
      },
    ],
    tests: [{ file: 'facilitator/ledger.test.ts' }],
  },
  {
    name: 'content-type-may-be-guessed',
    promises: ['P5'],
    breaks: "a browser may take an agent's words for a page",
    edits: [
      {
        in: 'farebox/COMMON_HEADERS',
        find: "  'x-content-type-options': 'nosniff',\n",
        replace: '',
      },
    ],
    tests: [{ file: 'farebox/fetch-handler.test.ts' }],
  },
  {
    name: 'redirect-followed',
    promises: ['P5'],
    breaks: 'an agent sends its caller, payment and all, wherever it likes: into the inside network too',
    edits: [
      {
        in: 'client/initOf',
        find: "redirect: 'manual',",
        replace: "redirect: 'follow',",
      },
    ],
    tests: [{ file: 'client/execute.test.ts' }],
  },
  {
    name: 'plain-http-anywhere',
    promises: ['P5'],
    breaks: 'an agent may be an http address of the inside network',
    edits: [
      {
        in: 'client/readAgentUrl',
        find: "if (parsed.protocol === 'http:' && !options.allowHttp && !isLoopback(parsed.hostname)) {",
        replace: "if (parsed.protocol === 'ftp:') {",
      },
    ],
    tests: [{ file: 'client/read-about.test.ts' }],
  },
  {
    name: 'patterns-backtrack',
    promises: ['P5', 'P6'],
    breaks: "an owner's pattern runs in an engine that it can hang, in every browser that shows the form",
    edits: [
      {
        in: 'protocol/compile',
        find: 'return RE2JS.compile(source)',
        replace:
          'return Object.assign(new RegExp(source, "u"), { programSize: () => 1 }) as unknown as RE2JS',
      },
    ],
    tests: [{ file: 'protocol/pattern.test.ts', only: 'is refused with its reason' }],
  },
  {
    name: 'repeat-without-its-salt',
    promises: ['I8'],
    breaks: 'whoever rebuilds a bound payment from the chain, and knows its job_id, gets the response',
    edits: [
      {
        in: 'farebox/proveRepeat',
        find: '    if (names) return\n',
        replace: '    if (names || !names) return\n',
      },
    ],
    tests: [{ file: 'farebox/find-repeat.test.ts' }],
  },
]
