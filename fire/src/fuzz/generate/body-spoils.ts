import { MAX_BODY_BYTES } from '@farebox/protocol/limits'
import { THE_REST, type Accident } from './accidents.ts'

/** One changed field of a good body: `value` is sent instead of it; undefined: the field is omitted. */
export interface BodySpoil {
  /** The path from the body down, separated by slashes. */
  readonly path: string
  readonly value: unknown
}

const PATHS = ['service_version', 'job_id', 'task', 'task/input', 'deadline', 'task/capability']

const VALUES = [undefined, null, true, [], ['1.0'], {}, 7, 0, -1, -1e300, 1e11, 1e308]
const TEXTS = ['', 'x', '1.0 ', '1790000000', 'work ', '__proto__', 'hasOwnProperty', '🚕'.repeat(200)]
const UUID_V1 = '3f8a2c1e-9b4d-1f6a-8c2b-1d5e7f9a0b3c'

/** Each such value at each field. */
export const BODY_SPOILS: readonly BodySpoil[] = PATHS.flatMap(path =>
  [...VALUES, ...TEXTS, UUID_V1].map(value => ({ path, value })),
)

const JSON_TYPE = 'application/json'
export const GOOD_TYPES = [JSON_TYPE, 'Application/JSON; charset=UTF-8', `${JSON_TYPE}; charset=latin1; v=1`]
export const WRONG_TYPES = [undefined, '', 'text/plain', `${JSON_TYPE}x`, `${JSON_TYPE}, ${JSON_TYPE}`]

/** Bytes that make a body invalid JSON, or a JSON value that is refused. */
export const BROKEN_BODIES: readonly Accident[] = [
  ...['', '"', 'null', '[]', '1', '"x"', 'true', '[{"task":{}}]'].map(inItsPlace),
  ...['"nan":NaN', '"\xff":0', '"\xc0\x80":0', '"\xed\xa0\x80":0', '"\xf5":0'].map(asFirstField),
  ...['"__proto__":{"polluted":true}', '"\\u005f_proto__":1', '"constructor":{"prototype":{}}'].map(
    asFirstField,
  ),
  ...[63, 64, 1_000, 50_000].flatMap(depth =>
    ['['.repeat(depth) + ']'.repeat(depth), `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`].map(deep =>
      asFirstField(`"deep":${deep}`),
    ),
  ),
  { at: 0, removed: 0, put: '\xef\xbb\xbf' },
  { at: 5_000, removed: THE_REST, put: '' },
  ...['{}', ' '.repeat(MAX_BODY_BYTES)].map(put => ({ at: 10_000, removed: 0, put })),
]

function inItsPlace(put: string): Accident {
  return { at: 0, removed: THE_REST, put }
}

function asFirstField(field: string): Accident {
  return { at: 0, removed: 1, put: `{${field},` }
}
