import { needsFixture, NEEDS, type Check } from '../../check/check.ts'
import type { CheckContext } from '../../check/context.ts'
import type { ErrorType } from '@farebox/protocol/errors/error-types'
import { compileOutput } from '@farebox/protocol/fields/compile'
import { isObject } from '@farebox/protocol/internal/guards/json'
import {
  describeReply,
  expectCompleted,
  expectEqual,
  expectFailure,
  expectKeys,
  expectThat,
} from '../../exchange/expectations.ts'
import { HANDLER_SECRET } from '../../fixture/fixture-handlers.ts'
import { expectJsonType } from '../discovery/health.ts'
import { expectNoStore } from '../price/ask-price.ts'
import type { Reply } from '../../exchange/send-request.ts'

/** Outputs that JSON can represent, changed or not: dev mode accepts them. */
const CARRIED = [
  'missing',
  'wrong type',
  'null field',
  'NaN',
  'infinite',
  'fraction',
  'undefined field',
  'function field',
  'date field',
  'toJSON field',
  'null',
  'text',
  'array',
  'map',
]

/** Outputs that JSON cannot represent. */
const NOT_CARRIED = ['undefined', 'BigInt field', 'cycle', 'getter', 'proxy', 'throws a proxy']

/** The output against its schema, and the body of the 200 response (interface, Processing 5; D20, VAL-14). */
export const OUTPUT_CHECKS: readonly Check[] = [
  {
    id: 'output/failure',
    rules: ['interface Errors', 'D26', 'VAL-15'],
    title:
      'A job with a sample input is delivered, or refused in the documented form without a word of the code',
    fix: 'Answer what a handler throws with 500 "Internal error", and write its message and stack to the log.',
    needs: NEEDS.deliveredJob,
    async run(context) {
      const { reply } = await context.sampleJob()
      if (reply.status !== 200 && reply.status !== 503) expectTidyFailure(reply)
    },
  },
  {
    id: 'output/body',
    rules: ['interface Job success response'],
    title: 'A completed job is answered with exactly its five keys',
    fix: 'Answer service_version, job_id as sent, status "completed", output and completed_at.',
    needs: NEEDS.deliveredJob,
    async run(context) {
      const { reply, jobId } = await context.delivered()
      const body = expectKeys(
        reply.json,
        ['service_version', 'job_id', 'status', 'output', 'completed_at'],
        'the body',
      )
      expectEqual(body['service_version'], '1.0', 'service_version')
      expectEqual(body['job_id'], jobId, 'job_id')
      expectEqual(body['status'], 'completed', 'status')
    },
  },
  {
    id: 'output/completed_at',
    rules: ['interface Job success response'],
    title: 'completed_at is now, in Unix seconds',
    fix: 'Give seconds, not milliseconds.',
    needs: NEEDS.deliveredJob,
    async run(context) {
      const { completed_at } = (await context.delivered()).reply.json as { completed_at?: unknown }
      const near = typeof completed_at === 'number' && Math.abs(completed_at - context.nowSeconds()) < 3_600
      expectThat(near, `about ${Math.floor(context.nowSeconds())}`, completed_at)
    },
  },
  {
    id: 'output/schema',
    rules: ['interface Processing 5', 'D20'],
    title: 'The output of a delivered job matches its output_schema',
    fix: 'Return every declared field, of its declared type; outputs are never coerced.',
    needs: NEEDS.deliveredJob,
    async run(context) {
      const { reply, capability } = await context.delivered()
      const checked = compileOutput((await context.agent()).capability(capability).output_schema)(
        expectCompleted(reply),
      )
      expectThat(
        checked.ok,
        'an output of the declared shape',
        checked.ok ? '' : `${checked.violation.field}: ${checked.violation.reason}`,
      )
      const undeclared = checked.dropped.length === 0 || context.mode === 'dev'
      expectThat(undeclared, 'declared fields alone', checked.dropped.join(', '))
    },
  },
  {
    id: 'output/headers',
    rules: ['PAY-36', 'interface POST /execute'],
    title: 'A completed job is sent as JSON that no cache keeps',
    fix: 'Send Content-Type: application/json and Cache-Control: no-store.',
    needs: NEEDS.deliveredJob,
    async run(context) {
      const { reply } = await context.delivered()
      expectJsonType(reply)
      expectNoStore(reply)
    },
  },
  ...[...CARRIED, ...NOT_CARRIED].map((kind): Check => ({
    id: `output/production ${kind}`,
    rules: ['interface Processing 5', 'D20', 'D26', 'VAL-14'],
    title: `In production an output that is wrong (${kind}) is answered 500 Internal error`,
    fix: 'Check the output before it is written, without coercing it, as plain JSON data.',
    needs: needsFixture(0, { modes: ['paid'] }),
    run: async context => expectInternal(await violate(context, kind)),
  })),
  ...CARRIED.map((kind): Check => ({
    id: `output/dev ${kind}`,
    rules: ['interface Processing 5', 'D20'],
    title: `In dev mode an output that is wrong (${kind}) passes through`,
    fix: 'In dev mode log a warning and let the output pass.',
    needs: needsFixture(0, { modes: ['dev'] }),
    async run(context) {
      const reply = await violate(context, kind)
      expectThat(reply.status === 200, 'status 200', describeReply(reply))
    },
  })),
  ...NOT_CARRIED.map((kind): Check => ({
    id: `output/dev ${kind}`,
    rules: ['VAL-14', 'D26'],
    title: `In dev mode an output that JSON cannot carry (${kind}) is answered 500 Internal error`,
    fix: 'Answer 500 where the output cannot be written at all.',
    needs: needsFixture(0, { modes: ['dev'] }),
    run: async context => expectInternal(await violate(context, kind)),
  })),
  fixture('valid', 'A valid output is sent as it is', async context => {
    expectEqual(
      expectCompleted(await violate(context, 'nothing wrong')),
      { text: 'a', size: 1, note: 'b' },
      'output',
    )
  }),
  fixture('optional missing', 'An output field with required false may be missing', async context => {
    expectEqual(expectCompleted(await violate(context, 'optional missing')), { text: 'a', size: 1 }, 'output')
  }),
  fixture(
    'undeclared',
    'Undeclared output fields are dropped in production and pass in dev mode',
    async context => {
      const declared = { text: 'a', size: 1, note: 'b' }
      const expected = context.mode === 'dev' ? { ...declared, secret: 'c' } : declared
      expectEqual(expectCompleted(await violate(context, 'undeclared')), expected, 'output')
    },
  ),
]

const FAILURES: { readonly [status: number]: readonly ErrorType[] } = {
  400: ['validation', 'capability'],
  402: ['payment'],
  408: ['deadline'],
  500: ['internal'],
}

/** The forms in which languages write the location and the cause of an error. */
const OF_THE_CODE = /\n|\b[A-Z]\w*(?:Error|Exception)\b|\bat \S+:\d+|\bTraceback\b|(?:\/[\w.-]+){2,}\.\w+/

function expectTidyFailure(reply: Reply): void {
  const type = isObject(reply.json) ? reply.json['error_type'] : undefined
  const wanted = FAILURES[reply.status] ?? []
  const found = wanted.find(one => one === type)
  expectThat(found !== undefined, '200, or a failure of the table of errors', describeReply(reply))
  const error = expectFailure(reply, reply.status, found)
  expectThat(!OF_THE_CODE.test(error), 'a message for callers', error)
}

function fixture(name: string, title: string, run: Check['run']): Check {
  const fix = 'In production send declared fields alone; ask for all of them but those with required false.'
  return { id: `output/${name}`, rules: ['D20'], title, fix, needs: needsFixture(1), run }
}

async function violate(context: CheckContext, kind: string): Promise<Reply> {
  return await context.runJob({ capability: 'violate', input: { kind } })
}

function expectInternal(reply: Reply): void {
  expectFailure(reply, 500, 'internal', /^Internal error$/)
  expectThat(!reply.text.includes(HANDLER_SECRET), 'none of the handler’s words', reply.text)
}
