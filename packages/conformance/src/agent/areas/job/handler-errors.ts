import type { ErrorType } from '@farebox/protocol/errors/error-types'
import { randomUUID } from 'node:crypto'
import { needsFixture, type Check } from '../../check/check.ts'
import { expectEqual, expectFailure, expectCompleted, expectThat } from '../../exchange/expectations.ts'
import { HANDLER_SECRET } from '../../fixture/fixture-handlers.ts'

/** The five typed errors, by message and by field and reason. */
const TYPED: readonly (readonly [kind: string, status: number, errorType: ErrorType, message: string])[] = [
  ['validation', 400, 'validation', 'not this one'],
  ['validation field', 400, 'validation', 'city: is not on the map'],
  ['payment', 402, 'payment', 'not this coin'],
  ['payment field', 402, 'payment', 'coin: is too worn'],
  ['deadline', 408, 'deadline', 'not today'],
  ['deadline field', 408, 'deadline', 'queue: is too long'],
  ['capability', 400, 'capability', 'not here'],
  ['capability field', 400, 'capability', 'region: is not served'],
  ['internal', 500, 'internal', 'not my day'],
  ['internal field', 500, 'internal', 'upstream: is asleep'],
  ['foreign validation', 400, 'validation', 'not from here'],
]

const UNTYPED = ['error', 'text', 'null', 'undefined', 'proxy', 'proxy of itself']

/** The responses to errors that handlers throw (interface, Errors; D26). */
export const ERROR_CHECKS: readonly Check[] = [
  ...TYPED.flatMap(([kind, status, errorType, message]) =>
    ['', 'late '].map((when): Check => ({
      id: `handler-errors/${when}${kind}`,
      rules: ['interface Errors', 'D26', 'DDL-10'],
      title: `A handler’s ${when}${kind} error is answered ${status} with its own message`,
      fix: 'Map the typed errors to their rows of the table, recognised by their brand.',
      needs: needsFixture(0),
      async run(context) {
        const reply = await context.tryInput({ kind: when + kind }, 'fail')
        expectEqual(expectFailure(reply, status, errorType), message, 'error')
      },
    })),
  ),
  ...UNTYPED.flatMap(kind =>
    ['', 'late '].map((when): Check => ({
      id: `handler-errors/${when}${kind}`,
      rules: ['interface Errors', 'D26', 'DDL-08', 'VAL-15'],
      title: `A handler that throws ${when}${kind} is answered 500 Internal error, and nothing more`,
      fix: 'Answer the generic message and write the text to the log; touch what was thrown with care.',
      needs: needsFixture(0),
      async run(context) {
        const reply = await context.tryInput({ kind: when + kind }, 'fail')
        expectFailure(reply, 500, 'internal', /^Internal error$/)
        expectThat(!reply.text.includes(HANDLER_SECRET), 'none of the handler’s words', reply.text)
      },
    })),
  ),
  {
    id: 'handler-errors/retry',
    rules: ['D24', 'IDM-07'],
    title: 'A job whose handler failed may be asked for again, and runs again',
    fix: 'Store no failure, and let go of the job whatever was thrown.',
    needs: needsFixture(1),
    async run(context) {
      const jobId = randomUUID()
      const key = randomUUID()
      const payment = await context.pay(jobId, 'fail')
      const wish = { capability: 'fail', jobId, ...(payment !== undefined && { payment }) }
      for (const kind of ['error', 'proxy of itself', 'internal']) {
        expectFailure(await context.runJob({ ...wish, input: { kind, key } }), 500, 'internal')
      }
      expectEqual(
        expectCompleted(await context.runJob({ capability: 'count', input: { key } }))['runs'],
        3,
        'runs',
      )
    },
  },
]
