import type { Breach } from '../breach.ts'

/** P6: whatever comes, the answer is a documented one, and says nothing of the inside. */
export const DOCUMENTED_ANSWERS: readonly Breach[] = [
  {
    name: 'handler-error-told',
    promises: ['P6'],
    breaks: 'what a handler threw is shown to the caller',
    edits: [
      {
        in: 'farebox/failureError',
        find: 'export function failureError({ typed }: HandlerFailure): ServiceError {\n',
        replace: `export function failureError({ typed, logText }: HandlerFailure): ServiceError {
  if (typed === undefined) return new InternalError(logText)
`,
      },
    ],
    tests: [{ file: 'farebox/pipeline.test.ts' }],
  },
  {
    name: 'depth-not-counted',
    promises: ['P6'],
    breaks: 'a body nested a hundred thousand deep reaches the parser',
    edits: [
      {
        in: 'farebox/parseJson',
        find: 'if (!isUtf8(body) || nestsDeeperThan(body, MAX_BODY_DEPTH)) return undefined',
        replace: 'if (!isUtf8(body)) return undefined',
      },
    ],
    tests: [{ file: 'conformance/conformance.test.ts' }],
  },
  {
    name: 'two-payments-taken-for-one',
    promises: ['P6', 'P1'],
    breaks: 'of two payment headers the first is taken',
    edits: [
      {
        in: 'farebox/provePayer',
        find: 'if (header === undefined || second !== undefined)',
        replace: 'if (header === undefined && second === undefined)',
      },
    ],
    tests: [{ file: 'farebox/pipeline.test.ts' }],
  },
  {
    name: 'body-without-limit',
    promises: ['P6'],
    breaks: 'a body of any size is read to its end',
    edits: [
      {
        in: 'farebox/createBodyReader',
        find: 'readNodeStream(request, { maxBytes: MAX_BODY_BYTES, hasRoom })',
        replace: 'readNodeStream(request, { maxBytes: Infinity, hasRoom })',
      },
      {
        in: 'farebox/createBodyReader',
        find: "if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return 'too large'",
        replace: '',
      },
    ],
    tests: [{ file: 'farebox/serve.test.ts', only: 'VAL-05' }],
  },
  {
    name: 'log-line-forged',
    promises: ['P6'],
    breaks: 'a line break in what a stranger sent begins a line of the log',
    edits: [
      {
        in: 'farebox/escaped',
        find: '  return value.replace(UNSAFE, ',
        replace: '  return value.replace(/\\0/g, ',
      },
    ],
    tests: [{ file: 'farebox/log.test.ts' }],
  },
  {
    name: 'log-redaction-off',
    promises: ['P6'],
    breaks: 'a secret in the words of others is written to the log',
    edits: [
      {
        in: 'farebox/createLog',
        find: 'options.write(hide(lines))',
        replace: 'options.write(lines)',
      },
    ],
    tests: [{ file: 'farebox/log.test.ts' }],
  },
  {
    name: 'checking-without-budget',
    promises: ['P6'],
    breaks: 'one input can be checked for as long as its patterns and items take',
    edits: [
      {
        in: 'protocol/takeSteps',
        find: 'if (run.stepsLeft >= 0) return true',
        replace: 'if (run.stepsLeft > Number.NEGATIVE_INFINITY) return true',
      },
    ],
    tests: [{ file: 'protocol/check-budget.test.ts', only: 'many empty objects' }],
  },
]
