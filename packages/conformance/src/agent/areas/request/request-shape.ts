import { MAX_BODY_BYTES, MAX_BODY_DEPTH } from '@farebox/protocol/limits'
import type { Check } from '../../check/check.ts'
import type { CheckContext } from '../../check/context.ts'
import { describeReply, expectFailure, expectThat } from '../../exchange/expectations.ts'
import { expectBodyTaken, knock, markedBody, bodyCheck } from './knock.ts'

const WRONG_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'application/jsonx',
  'application/json garbage',
  'text/json',
  'application/json, text/plain',
]

const NOT_JSON: readonly (readonly [name: string, body: string | Uint8Array<ArrayBuffer>])[] = [
  ['an empty body', ''],
  ['a body cut short', '{"service_version":"1.0"'],
  ['a trailing comma', '{"service_version":"1.0",}'],
  ['NaN', '{"deadline":NaN}'],
  ['two JSON texts', '{}{}'],
  ['invalid UTF-8', Uint8Array.of(0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d)],
  ['half a million open brackets', '['.repeat(500_000)],
]

/** The body of `POST /execute` as a whole: its type, size, depth and form (D14, D15). */
export const REQUEST_SHAPE_CHECKS: readonly Check[] = [
  bodyCheck(
    'content-type',
    ['D15', 'VAL-16'],
    'Only application/json is read',
    'Compare the whole media type, without its parameters, and answer 400 "body: <reason>" for any other.',
    async context => {
      const body = JSON.stringify(await markedBody(context))
      for (const type of WRONG_TYPES)
        expectFailure(
          await knock(context, { headers: { 'content-type': type }, body }),
          400,
          'validation',
          /^body: /,
        )
      expectFailure(
        await knock(context, { headers: {}, body: new TextEncoder().encode(body) }),
        400,
        'validation',
        /^body: /,
      )
    },
  ),
  bodyCheck(
    'content-type-spellings',
    ['D15', 'VAL-16'],
    'application/json is read in any case, and whatever its parameters',
    'Compare the media type alone, without its case (RFC 9110, 8.3.1); leave out its parameters and a trailing semicolon.',
    async context => {
      for (const type of [
        'application/json',
        'Application/JSON',
        'application/json; charset=utf-8',
        'application/json;charset=UTF-8',
        'application/json; charset=utf8',
        'application/json; v=1',
        'application/json; boundary=x',
        'application/json;',
      ]) {
        expectBodyTaken(
          await knock(context, {
            headers: { 'content-type': type },
            body: JSON.stringify(await markedBody(context)),
          }),
        )
      }
    },
  ),
  ...NOT_JSON.map(([name, body]) =>
    bodyCheck(
      `body ${name}`,
      ['D14', 'D15', 'VAL-04', 'VAL-17'],
      `The body must be JSON: ${name} is refused`,
      'Answer 400 with "body: <reason>".',
      async context => void expectFailure(await knock(context, { body }), 400, 'validation', /^body: /),
    ),
  ),
  ...[null, [], 'x', 1].map(value =>
    bodyCheck(
      `body ${JSON.stringify(value)}`,
      ['interface Job request'],
      `The body must be an object, not ${JSON.stringify(value)}`,
      'Answer 400 validation for JSON that is no object.',
      async context =>
        void expectFailure(await knock(context, { body: JSON.stringify(value) }), 400, 'validation'),
    ),
  ),
  bodyCheck(
    'depth',
    ['D15', 'VAL-04'],
    'A body is read to 64 levels and refused beyond',
    'Count open brackets outside strings before parsing.',
    async context => {
      expectBodyTaken(await knock(context, { body: await deepBody(context, MAX_BODY_DEPTH) }))
      expectFailure(
        await knock(context, { body: await deepBody(context, MAX_BODY_DEPTH + 1) }),
        400,
        'validation',
        /^body: /,
      )
    },
  ),
  bodyCheck(
    'brackets-in-texts',
    ['D15', 'VAL-04'],
    'Brackets inside texts are not levels',
    'Skip string contents, escapes included, when counting.',
    async context => {
      const body = await markedBody(context, { text: `\\"${'[{'.repeat(200)}` })
      expectBodyTaken(await knock(context, { body: JSON.stringify(body) }))
    },
  ),
  bodyCheck(
    'size',
    ['D15', 'VAL-05'],
    'A body of exactly 1 MiB is read, a longer one is refused',
    'Compare with 1,048,576 bytes.',
    async context => {
      const body = JSON.stringify(await markedBody(context))
      expectBodyTaken(await knock(context, { body: body.padEnd(MAX_BODY_BYTES) }))
      expectFailure(
        await knock(context, { body: body.padEnd(MAX_BODY_BYTES + 1) }),
        400,
        'validation',
        /^body: /,
      )
    },
  ),
  bodyCheck(
    'duplicate-keys',
    ['VAL-13'],
    'Of a key that comes twice the last value counts',
    'Check the parsed value, never the text.',
    async context => {
      const members = JSON.stringify(await markedBody(context)).slice(1, -1)
      expectBodyTaken(await knock(context, { body: `{"service_version":"9.9",${members}}` }))
      const refused = await knock(context, { body: `{${members},"service_version":"9.9"}` })
      expectFailure(refused, 400, 'validation', /^service_version: /)
    },
  ),
  bodyCheck(
    'byte-order-mark',
    ['D15', 'RFC 8259 8.1'],
    'A byte order mark is refused or ignored, never an accident',
    'Answer 400 for it, or skip it.',
    async context => {
      const reply = await knock(context, { body: `\u{FEFF}${JSON.stringify(await markedBody(context))}` })
      expectThat(reply.status === 400, 'status 400', describeReply(reply))
    },
  ),
  ...[
    '{"__proto__":{"polluted":1}}',
    '{"a":[{"__proto__":{}}]}',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '{"\\u005f_proto__":{}}',
  ].map(input =>
    bodyCheck(
      `prototype ${input}`,
      ['VAL-01'],
      `A body that reaches for a prototype is refused: ${input}`,
      'Refuse such keys at any depth.',
      async context => {
        const body = JSON.stringify(await markedBody(context)).replace('"input":{}', `"input":${input}`)
        expectFailure(await knock(context, { body }), 400, 'validation')
      },
    ),
  ),
]

/** Returns a body nested to the given depth. Body, task and input are three levels; the others are put below them. */
async function deepBody(context: CheckContext, levels: number): Promise<string> {
  const inner = levels - 3
  const deep = `${'['.repeat(inner)}${']'.repeat(inner)}`
  return JSON.stringify(await markedBody(context, { deep: 0 })).replace('"deep":0', `"deep":${deep}`)
}
