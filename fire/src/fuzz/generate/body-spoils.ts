import type { Check } from '../oracle/expected-answer.ts'
import { choose, putAt, type OpenObject } from './wrong-values.ts'

/** One thing wrong with the request beside its payment; `pick` says which of its values it takes. */
export interface BodySpoil {
  readonly check: Check
  /** To the body before it is written. */
  readonly object?: (body: OpenObject, pick: number, scene: BodyScene) => void
  /** To the text, as it is sent: nobody can read a capability out of it any more. */
  readonly bytes?: (text: string, pick: number) => string | Buffer
  /** Instead of `application/json`; undefined: none is sent. */
  readonly contentType?: (pick: number) => string | undefined
}

export interface BodyScene {
  readonly nowSeconds: number
  readonly capabilities: readonly string[]
}

const MIB = 1_048_576

/** Values that are wrong wherever they are put, each at its path in the body. */
const WRONG_FIELDS: readonly (readonly [path: string, check: Check, values: readonly unknown[]])[] = [
  ['service_version', 'service_version', [undefined, null, 1, '1', '1.0 ', '2.0', ['1.0'], {}]],
  ['job_id', 'job_id', [undefined, null, 7, '', 'x', {}, '3f8a2c1e-9b4d-1f6a-8c2b-1d5e7f9a0b3c']],
  ['task', 'task', [undefined, null, [], 'work', 7, true]],
  ['task/input', 'task', [undefined, null, [], 'x', 7]],
  ['deadline', 'deadline', [undefined, null, '1790000000', true, [], {}, 1e11, 1e308]],
  ['task/capability', 'capability', [null, 7, [], {}, '', '__proto__', 'hasOwnProperty', '🚕'.repeat(200)]],
]

/** Texts put into a body, each of which is not JSON, or not JSON that is taken. */
const BROKEN_BYTES: { readonly [name: string]: BodySpoil['bytes'] } = {
  'body empty': () => '',
  'body cut': (text, pick) => text.slice(0, pick % text.length),
  'body that is not JSON': (text, pick) =>
    choose(pick, [
      '"',
      text + text,
      `${text.slice(0, -1)},}`,
      text.replace('{', '{"nan":NaN,'),
      `\ufeff${text}`,
    ]),
  'body that is not UTF-8': (text, pick) => {
    const bytes = choose(pick, ['\xff', '\xc0\x80', '\xed\xa0\x80', '\xf5'])
    return Buffer.from(text.replace('{', `{"${bytes}":0,`), 'latin1')
  },
  'body too deep': (text, pick) => {
    const depth = choose(pick, [64, 65, 1_000, 50_000])
    const deep =
      pick % 8 < 4 ? '['.repeat(depth) + ']'.repeat(depth) : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    return `${text.slice(0, -1)},"deep":${deep}}`
  },
  'body with a prototype': (text, pick) => {
    const keys = ['"__proto__":{"polluted":true}', '"\\u005f_proto__":1', '"constructor":{"prototype":{}}']
    return `${text.slice(0, -1)},${choose(pick, keys)}}`
  },
  'body of no object': (_, pick) => choose(pick, ['null', '[]', '1', '"x"', 'true', '[{"task":{}}]']),
}

/** Every way we know to get a body wrong, by name. */
export const BODY_SPOILS: { readonly [name: string]: BodySpoil } = {
  'too large': {
    check: 'size',
    bytes: (text, pick) => text + ' '.repeat(MIB - text.length + 1 + (pick % 9)),
  },
  'content type': {
    check: 'body',
    contentType: pick =>
      choose(pick, [undefined, 'text/plain', 'application/jsonx', 'application/json, application/json', '']),
  },
  ...Object.fromEntries(
    Object.entries(BROKEN_BYTES).map(([name, bytes]) => [name, { check: 'body', bytes } as BodySpoil]),
  ),
  ...Object.fromEntries(
    WRONG_FIELDS.map(([path, check, values]): [string, BodySpoil] => [
      `${path} wrong`,
      { check, object: (body, pick) => putAt(body, path, choose(pick, values)) },
    ]),
  ),
  'capability almost right': {
    check: 'capability',
    object: (body, _, { capabilities }) => putAt(body, 'task/capability', `${capabilities[0] ?? ''} `),
  },
  'deadline passed': {
    check: 'lateness',
    object: (body, pick, { nowSeconds }) =>
      putAt(body, 'deadline', choose(pick, [0, -1, -1e300, nowSeconds, nowSeconds - 0.001])),
  },
}
