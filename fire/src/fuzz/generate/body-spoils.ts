import type { JsonObject, JsonValue } from 'farebox'
import type { ExpectedRefusal } from '../oracle/expected-answer.ts'
import { choose } from './choose.ts'

/** One thing wrong with the request beside its payment. */
export interface BodySpoil {
  readonly refusal: ExpectedRefusal
  /** To the body before it is written. */
  readonly object?: (body: JsonObject, scene: BodyScene) => void
  /** To the text, as it is sent: nobody can read a capability out of it any more. */
  readonly bytes?: (text: string, pick: number) => string | Buffer
  /** Instead of `application/json`; undefined: none is sent. */
  readonly contentType?: (pick: number) => string | undefined
}

export interface BodyScene {
  readonly pick: number
  readonly nowSeconds: number
  readonly capabilities: readonly string[]
}

const WRONG_TYPES = [
  undefined,
  'text/plain',
  'application/jsonx',
  'application/json, application/json',
  'text/json',
  '',
]

const MIB = 1_048_576

/** Every way we know to get a body wrong, by name. */
export const BODY_SPOILS: { readonly [name: string]: BodySpoil } = {
  'too large': {
    refusal: { check: 'size' },
    bytes: (text, pick) => text + ' '.repeat(MIB - text.length + 1 + (pick % 9)),
  },
  'content type': {
    refusal: { check: 'body', errorStarts: 'body: ' },
    contentType: pick => choose(pick, WRONG_TYPES),
  },
  ...byteSpoils(),
  ...fieldSpoils(),
  'deadline passed': {
    refusal: { check: 'lateness' },
    object(body, { pick, nowSeconds }) {
      body['deadline'] = choose(pick, [0, -1, -1e300, nowSeconds, nowSeconds - 0.001, nowSeconds - 3_600])
    },
  },
  'capability unknown': {
    refusal: { check: 'capability', errorStarts: 'Unknown capability "' },
    object(body, { pick, capabilities }) {
      const { task } = body
      if (!isObject(task)) return
      const name = choose<JsonValue>(pick, [
        null,
        7,
        [],
        {},
        '',
        '__proto__',
        'hasOwnProperty',
        `${capabilities[0] ?? ''} `,
        '🚕'.repeat(200),
        ['work'],
      ])
      task['capability'] =
        typeof name === 'string' && capabilities.includes(name) ? 'nobody declares this' : name
    },
  },
}

function byteSpoils(): { readonly [name: string]: BodySpoil } {
  const bytes = (change: NonNullable<BodySpoil['bytes']>): BodySpoil => ({
    refusal: { check: 'body', errorStarts: 'body: ' },
    bytes: change,
  })
  const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth)
  return {
    'body empty': bytes(() => ''),
    'body cut': bytes((text, pick) => text.slice(0, pick % text.length)),
    'body with bom': bytes(text => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)])),
    'body not utf-8': bytes((text, pick) =>
      Buffer.from(
        text.replace('{', `{"${choose(pick, ['\xff', '\xc0\x80', '\xed\xa0\x80', '\xf5'])}":0,`),
        'latin1',
      ),
    ),
    'body utf-16': bytes(text => Buffer.from(text, 'utf16le')),
    'body of two': bytes(text => `${text}${text}`),
    'body with a comma': bytes(text => `${text.slice(0, -1)},}`),
    'body in quotes unclosed': bytes(() => '"'),
    'body with NaN': bytes(text => text.replace('{', '{"nan":NaN,')),
    'body too deep': bytes((text, pick) => {
      const depth = choose(pick, [64, 65, 1_000, 50_000])
      const deep = pick % 8 < 4 ? nested(depth, '[', ']') : nested(depth, '{"a":', '}').replace(':}', ':1}')
      return `${text.slice(0, -1)},"deep":${deep}}`
    }),
    'body with __proto__': bytes((text, pick) =>
      choose(pick, [
        `${text.slice(0, -1)},"__proto__":{"polluted":true}}`,
        `${text.slice(0, -1)},"\\u005f_proto__":1}`,
        `${text.slice(0, -1)},"constructor":{"prototype":{"polluted":true}}}`,
      ]),
    ),
    'body of no object': bytes((_, pick) =>
      choose(pick, ['null', '[]', '1', '"x"', 'true', '[{"task":{"capability":"x"}}]']),
    ),
  }
}

function fieldSpoils(): { readonly [name: string]: BodySpoil } {
  const field = (
    check: 'service_version' | 'job_id' | 'task' | 'deadline',
    wrong: readonly (JsonValue | undefined)[],
  ): BodySpoil => ({
    refusal: { check },
    object(body, { pick }) {
      const value = choose(pick, wrong)
      if (value === undefined) delete body[check]
      else body[check] = value
    },
  })
  return {
    'service_version wrong': field('service_version', [
      undefined,
      null,
      1,
      '1',
      '1.0 ',
      '2.0',
      '',
      '1.00',
      ['1.0'],
      {},
    ]),
    'job_id wrong': field('job_id', [
      undefined,
      null,
      7,
      '',
      'x',
      {},
      '00000000-0000-0000-0000-000000000000',
      '3f8a2c1e-9b4d-1f6a-8c2b-1d5e7f9a0b3c',
      '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c\n',
      '{3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c}',
      '3f8a2c1e9b4d4f6a8c2b1d5e7f9a0b3c',
      'a'.repeat(9_999),
    ]),
    'task wrong': field('task', [undefined, null, [], 'work', 7, true]),
    'task.input wrong': {
      refusal: { check: 'task' },
      object({ task }, { pick }) {
        if (!isObject(task)) return
        const value = choose(pick, [undefined, null, [], 'x', 7])
        if (value === undefined) delete task['input']
        else task['input'] = value
      },
    },
    'deadline wrong': field('deadline', [
      undefined,
      null,
      '1790000000',
      true,
      [],
      {},
      1e11,
      1_790_000_000_000,
      1e308,
    ]),
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
