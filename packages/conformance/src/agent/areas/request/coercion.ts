import { needsFixture, type Check } from '../../check/check.ts'
import type { CheckContext } from '../../check/context.ts'
import { expectCompleted, expectEqual, expectFailure } from '../../exchange/expectations.ts'

const GRAMMAR =
  'Coerce texts that match ^-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?$ and are finite, and no others.'
const NAMES = { number: 'number', integer: 'integer', text: 'text', flag: 'boolean' } as const

/** Input values and the values they are coerced to (D19, VAL-06, VAL-07); `undefined` means that the value is refused. */
const COERCIONS: readonly (readonly [
  field: 'number' | 'integer' | 'text' | 'flag',
  sent: unknown,
  got: unknown,
])[] = [
  ['number', '1.5', 1.5],
  ['number', '-2', -2],
  ['number', '1e2', 100],
  ['number', '0', 0],
  ['number', 1.5, 1.5],
  ...[
    '',
    ' ',
    ' 1 ',
    '0x10',
    '1_0',
    '+5',
    '.5',
    '1.',
    '01',
    'Infinity',
    'NaN',
    '1e999',
    '\uff11\uff12',
    '1,5',
    true,
    false,
    null,
    [],
    [1],
    {},
  ].map(sent => ['number', sent, undefined] as const),
  ['integer', '7', 7],
  ['integer', '1e3', 1_000],
  ['integer', 7, 7],
  ['integer', '1.5', undefined],
  ['integer', 1.5, undefined],
  ['integer', '9007199254740993', undefined],
  ['text', 7, '7'],
  ['text', 1.5, '1.5'],
  ['text', true, 'true'],
  ['text', false, 'false'],
  ['text', null, undefined],
  ['text', [], undefined],
  ['text', {}, undefined],
  ['flag', 'true', true],
  ['flag', 'false', false],
  ['flag', true, true],
  ['flag', 'True', undefined],
  ['flag', '1', undefined],
  ['flag', 1, undefined],
  ['flag', 0, undefined],
  ['flag', '', undefined],
  ['flag', null, undefined],
]

/** Which inputs are coerced and which are refused (D19). */
export const COERCION_CHECKS: readonly Check[] = COERCIONS.map(([field, sent, got]): Check => ({
  id: `input/coerce ${JSON.stringify(sent)} to ${field}`,
  rules: ['D19', 'interface Processing 2', 'VAL-06', 'VAL-07'],
  title:
    got === undefined
      ? `${JSON.stringify(sent)} is no ${NAMES[field]} and is refused`
      : `${JSON.stringify(sent)} is taken as the ${NAMES[field]} ${JSON.stringify(got)}`,
  fix: GRAMMAR,
  needs: needsFixture(got === undefined ? 0 : 1),
  async run(context) {
    const input = { text: 'a', [field]: sent }
    if (got === undefined)
      expectFailure(await context.tryInput(input, 'echo'), 400, 'validation', new RegExp(`^${field}: `))
    else expectEqual((await echo(context, input))[field], got, field)
  },
}))

/**
 * Returns the value that the fixture's handler received for this input. Throws a `Mismatch` when the job is not delivered.
 */
export async function echo(
  context: CheckContext,
  input: object,
): Promise<{ readonly [field: string]: unknown }> {
  const output = expectCompleted(await context.runJob({ capability: 'echo', input }))
  return output['received'] as { readonly [field: string]: unknown }
}
