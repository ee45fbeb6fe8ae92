import { randomUUID } from 'node:crypto'
import type { Check } from '../../check/check.ts'
import { expectFailure } from '../../exchange/expectations.ts'
import { expectBodyTaken, knock, markedBody, bodyCheck } from './knock.ts'

/** Fields of the body in the order of D14, each with invalid values. */
const WRONG_FIELDS: readonly (readonly [
  field: string,
  rules: readonly string[],
  values: readonly (readonly [string, unknown])[],
])[] = [
  [
    'service_version',
    ['interface Versioning 1', 'VAL-11'],
    [
      ['missing', undefined],
      ['the number 1', 1],
      ['"1"', '1'],
      ['"1.0 "', '1.0 '],
      ['"2.0"', '2.0'],
      ['null', null],
    ],
  ],
  [
    'job_id',
    ['D16', 'IDM-05'],
    [
      ['missing', undefined],
      ['a number', 7],
      ['empty', ''],
      ['a UUID v1', 'c232ab00-9414-11ec-b3c8-9f6bdeced846'],
      ['a UUID v7', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'],
      ['the nil UUID', '00000000-0000-0000-0000-000000000000'],
      ['of another variant', '3f8a2c1e-9b4d-4f6a-cc2b-1d5e7f9a0b3c'],
      ['in braces', '{3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c}'],
      ['a URN', 'urn:uuid:3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c'],
      ['followed by a line break', '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c\n'],
      ['without dashes', '3f8a2c1e9b4d4f6a8c2b1d5e7f9a0b3c'],
      ['10 KB long', 'a'.repeat(10_240)],
    ],
  ],
  [
    'task',
    ['VAL-12'],
    [
      ['missing', undefined],
      ['null', null],
      ['an array', []],
      ['a text', 'x'],
      ['without input', {}],
      ['with input null', { input: null }],
      ['with input an array', { input: [] }],
      ['with input a text', { input: 'x' }],
    ],
  ],
  [
    'deadline',
    ['D16', 'DDL-06'],
    [
      ['missing', undefined],
      ['null', null],
      ['a text', '1790000000'],
      ['true', true],
      ['2^60', 2 ** 60],
    ],
  ],
]

/** The fields of the body except the input, in the order of D14 (D16). */
export const REQUEST_FIELD_CHECKS: readonly Check[] = [
  ...WRONG_FIELDS.flatMap(([field, rules, values]) =>
    values.map(([name, value]) =>
      bodyCheck(
        `${field} ${name}`,
        ['D14', ...rules],
        `${field} ${name} is refused by name`,
        `Answer 400 with "${field}: <reason>".`,
        async context => {
          const body = { ...(await markedBody(context)), [field]: value }
          expectFailure(
            await knock(context, { body: JSON.stringify(body) }),
            400,
            'validation',
            new RegExp(`^${field}[.:]`),
          )
        },
      ),
    ),
  ),
  bodyCheck(
    'deadline infinite',
    ['D16', 'DDL-06'],
    'deadline 1e400, which JSON reads as infinite, is refused',
    'Test with Number.isFinite.',
    async context => {
      const body = JSON.stringify({ ...(await markedBody(context)), deadline: 0 }).replace(
        '"deadline":0',
        '"deadline":1e400',
      )
      expectFailure(await knock(context, { body }), 400, 'validation', /^deadline: /)
    },
  ),
  bodyCheck(
    'deadline milliseconds',
    ['D16', 'DDL-05'],
    'deadline in milliseconds is refused, and the message says so',
    'Refuse 1e11 and more with "deadline: must be Unix seconds, this looks like milliseconds".',
    async context => {
      const body = { ...(await markedBody(context)), deadline: Math.round(context.nowSeconds() * 1_000) }
      expectFailure(
        await knock(context, { body: JSON.stringify(body) }),
        400,
        'validation',
        /^deadline: .*milliseconds/,
      )
    },
  ),
  bodyCheck(
    'job_id case',
    ['D16'],
    'job_id may be written in capitals',
    'Match hex digits in both cases.',
    async context => {
      const body = { ...(await markedBody(context)), job_id: randomUUID().toUpperCase() }
      expectBodyTaken(await knock(context, { body: JSON.stringify(body) }))
    },
  ),
  bodyCheck(
    'deadline fraction',
    ['D16', 'DDL-06'],
    'deadline may have a fraction',
    'Take any finite number of seconds.',
    async context => {
      const body = { ...(await markedBody(context)), deadline: Math.floor(context.nowSeconds()) + 5.5 }
      expectBodyTaken(await knock(context, { body: JSON.stringify(body) }))
    },
  ),
]
