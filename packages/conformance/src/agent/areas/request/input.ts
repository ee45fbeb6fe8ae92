import { randomUUID } from 'node:crypto'
import { NEEDS, needsFixture, type Check } from '../../check/check.ts'
import { NotApplicable } from '../../exchange/verdicts.ts'
import { echo } from './coercion.ts'
import {
  describeReply,
  expectCompleted,
  expectEqual,
  expectFailure,
  expectThat,
} from '../../exchange/expectations.ts'
import { breakages } from './wrong-input.ts'

const MESSAGE = 'Answer 400 with "<field>: <reason>" for the first violation in declared order.'

/**
 * Inputs of the fixture's `echo`, each wrong in one place, with the message that the response must contain (D18, D21).
 */
const WRONG: readonly (readonly [name: string, input: object, message: RegExp])[] = [
  ['a text too short', { text: '' }, /^text: /],
  ['a text too long', { text: 'x'.repeat(21) }, /^text: /],
  ['a number too small', { text: 'a', number: -1_001 }, /^number: /],
  ['a number too large', { text: 'a', number: '1001' }, /^number: /],
  ['a value that is none of the enum', { text: 'a', level: 'middle' }, /^level: /],
  ['a text that does not match its pattern', { text: 'a', code: 'abcd' }, /^code: /],
  ['a text that is not of its format', { text: 'a', email: 'nobody' }, /^email: /],
  ['too few items', { text: 'a', tags: [] }, /^tags: /],
  ['too many items', { text: 'a', tags: ['a', 'b', 'c', 'd'] }, /^tags: /],
  ['an item of the wrong type', { text: 'a', tags: ['a', null] }, /^tags\[1\]: /],
  ['a nested field missing', { text: 'a', items: [{ name: 'a' }, { name: 'b' }, {}] }, /^items\[2\]\.name: /],
  [
    'a nested field too short',
    { text: 'a', items: [{ name: 'a' }, { name: 'b' }, { name: '' }] },
    /^items\[2\]\.name: /,
  ],
  ['an object that is an array', { text: 'a', options: [] }, /^options: /],
  ['an array that is a text', { text: 'a', tags: 'a' }, /^tags: /],
  ['two violations, the first declared first', { code: '!', number: 'x', text: '' }, /^text: /],
]

/** The input against its schema (interface, Processing 2; D18 to D21). */
export const INPUT_CHECKS: readonly Check[] = [
  {
    id: 'input/sample',
    rules: ['interface Processing 2', 'interface Job success response'],
    title: 'A valid sample input is delivered',
    fix: 'Make the handler take what its input_schema allows; give fields examples that mean something.',
    needs: NEEDS.deliveredJob,
    run: async context => void expectCompleted((await context.delivered()).reply),
  },
  ...(['missing', 'null', 'wrong type', 'out of bounds'] as const).map((kind): Check => ({
    id: `input/${kind}`,
    rules: ['interface Processing 2', 'D18', 'D21'],
    title: `An input with a field ${kind} is refused by the field’s name`,
    fix: MESSAGE,
    needs: NEEDS.unchargedJob,
    async run(context) {
      const { first, capability, sampleOf } = await context.agent()
      const broken = breakages(capability(first).input_schema, sampleOf(first)).filter(
        one => one.kind === kind,
      )
      if (broken.length === 0) throw new NotApplicable('agent', `no field of ${first} can be ${kind}`)
      for (const { field, input } of broken.slice(0, 8)) {
        const message = expectFailure(await context.tryInput(input), 400, 'validation')
        expectThat(message.startsWith(field), `a message beginning with "${field}"`, message)
      }
    },
  })),
  {
    id: 'input/undeclared comes back',
    rules: ['D20', 'VAL-10'],
    title: 'A field that is not declared does no harm and leaves no trace in the answer',
    fix: 'Hand the handler the declared fields alone: copy those of input_schema, drop the rest.',
    needs: { ...NEEDS.deliveredJob, modes: ['dev'] },
    async run(context) {
      const { input } = await context.delivered()
      const marker = `undeclared-${randomUUID()}`
      const reply = await context.runJob({ input: { ...Object(input), not_declared: marker } })
      expectCompleted(reply)
      expectThat(!reply.text.includes(marker), 'an output that knows nothing of it', reply.text)
    },
  },
  ...WRONG.map(([name, input, message]): Check => ({
    id: `input/${name}`,
    rules: ['D18', 'D21'],
    title: `An input with ${name} is refused, the field named by its path`,
    fix: MESSAGE,
    needs: needsFixture(0),
    run: async context =>
      void expectFailure(await context.tryInput(input, 'echo'), 400, 'validation', message),
  })),
  fixture(
    'undeclared',
    ['D20', 'VAL-10'],
    'Undeclared fields are dropped before the handler',
    'Hand the handler declared fields alone.',
    async context => {
      const received = await echo(context, { text: 'a', more: 1, options: { colour: 'blue', deeper: 2 } })
      expectEqual(received['more'], undefined, 'more')
      expectEqual(received['options'], { colour: 'blue' }, 'options')
    },
  ),
  fixture(
    'defaults',
    ['D18'],
    'Absent fields with a default are filled',
    'Give the handler the default of an absent field.',
    async context => {
      const received = await echo(context, { text: 'a', options: {} })
      expectEqual(received['amount'], 3, 'amount')
      expectEqual(received['options'], { colour: 'red' }, 'options')
      expectEqual(Object.hasOwn(received, 'number'), false, 'number given')
    },
  ),
  fixture(
    'code points',
    ['D18', 'VAL-08'],
    'Lengths count code points',
    'Count code points, not UTF-16 units.',
    async context => {
      const text = '👩‍👩‍👧‍👦'.repeat(2) + 'abcdef'
      expectEqual((await echo(context, { text }))['text'], text, 'a text of 20 code points')
      expectFailure(await context.tryInput({ text: `${text}x` }, 'echo'), 400, 'validation', /^text: /)
    },
  ),
  fixture(
    'strange texts',
    ['VAL-09'],
    'Control characters and lone surrogates are data',
    'Hand texts on as they are.',
    async context => {
      const text = '\u0000\n\u202e\ud800"\\'
      expectEqual((await echo(context, { text }))['text'], text, 'the same text')
    },
  ),
  fixture(
    'coerced inside',
    ['D19'],
    'Coercion reaches into arrays and objects',
    'Coerce at every depth.',
    async context => {
      const received = await echo(context, { text: 'a', tags: [1], items: [{ name: true, size: '2' }] })
      expectEqual(received['tags'], ['1'], 'tags')
      expectEqual(received['items'], [{ name: 'true', size: 2 }], 'items')
    },
  ),
  {
    id: 'input/inherited names',
    rules: ['VAL-03'],
    title: 'Required fields called toString and constructor are missing from {}',
    fix: 'Look at own properties alone.',
    needs: needsFixture(1),
    async run(context) {
      expectFailure(await context.tryInput({}, 'odd'), 400, 'validation', /^toString: /)
      expectFailure(await context.tryInput({ toString: 'a' }, 'odd'), 400, 'validation', /^constructor: /)
      const input = { toString: 'a', constructor: 'b' }
      expectCompleted(await context.runJob({ capability: 'odd', input }))
    },
  },
  {
    id: 'input/retry',
    rules: ['D24', 'IDM-06', 'IDM-07'],
    title: 'After a refused input the same job_id and payment do the job',
    fix: 'Store no failure, and keep the payment’s claim for its job.',
    needs: needsFixture(1),
    async run(context) {
      const jobId = randomUUID()
      const payment = await context.pay(jobId, 'echo')
      const wish = { capability: 'echo', jobId, ...(payment !== undefined && { payment }) }
      expectFailure(await context.runJob({ ...wish, input: { text: '' } }), 400, 'validation')
      const reply = await context.runJob({ ...wish, input: { text: 'better' } })
      expectThat(reply.status === 200, 'status 200', describeReply(reply))
    },
  },
]

function fixture(
  name: string,
  rules: readonly string[],
  title: string,
  fix: string,
  run: Check['run'],
): Check {
  return { id: `input/${name}`, rules, title, fix, needs: needsFixture(1), run }
}
