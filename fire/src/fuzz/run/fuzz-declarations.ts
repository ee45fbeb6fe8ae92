import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
import { compileInput, compileOutput } from '@farebox/protocol/fields/compile'
import fc from 'fast-check'
import type { Declaration, JsonValue } from 'farebox'
import { choose } from '../generate/choose.ts'
import { declarations } from '../generate/declarations.ts'
import { anyJson, either } from '../generate/values.ts'
import { evilProxy } from '../handlers/returned-values.ts'
import { describeAnything } from './watch-process.ts'

/**
 * Checks so many declarations without a fault, and as many spoilt ones: the first must be taken, the others answered
 * with problems that say where, what and how to fix it, and nothing may throw. Returns what was wrong with the
 * smallest that fails, in words.
 */
export function fuzzDeclarations(
  seed: number,
  count: number,
  onSpoil: (name: string) => void = () => undefined,
): readonly string[] {
  let reason: string | undefined
  const isRight = fc.property(declarations, spoils, (declaration, spoil) => {
    const refused = check(declaration, true)
    const spoilt = spoilDeclaration(structuredClone(declaration), spoil)
    onSpoil(`declaration with ${spoilt.intruder}`)
    const fault = check(spoilt.declaration, false)
    const wrong =
      refused === undefined ? fault && `with ${spoilt.how}: ${fault}` : `without a fault: ${refused}`
    reason = wrong ?? reason
    return wrong === undefined
  })
  const { counterexample, counterexamplePath } = fc.check(isRight, { seed, numRuns: count })
  if (counterexample === null) return []
  return [
    `✗ a declaration ${reason ?? ''} (seed ${seed}, path ${counterexamplePath}): ${JSON.stringify(counterexample)}`,
  ]
}

function check(declaration: unknown, isGood: boolean): string | undefined {
  try {
    const checked = checkDeclaration(declaration)
    if (checked.ok) return compile(checked.declaration)
    if (isGood)
      return `refused: ${checked.problems.map(({ path, reason }) => `${path.join('.')}: ${reason}`).join('; ')}`
    return checked.problems.length === 0
      ? 'refused without a problem'
      : checked.problems.map(refuseProblem).find(Boolean)
  } catch (error) {
    return `threw: ${describeAnything(error)}`
  }
}

/** What the check takes must compile. */
function compile({ capabilities }: Declaration): undefined {
  for (const { input_schema, output_schema } of Object.values(capabilities)) {
    compileInput(input_schema)
    compileOutput(output_schema)
  }
}

function refuseProblem(problem: {
  readonly path: unknown
  readonly reason: unknown
  readonly fix: unknown
}): string | undefined {
  const { path, reason, fix } = problem
  if (!Array.isArray(path)) return 'a problem without a path'
  if (typeof reason !== 'string' || reason === '') return 'a problem without a reason'
  return typeof fix === 'string' && fix !== '' ? undefined : `a problem without a fix: ${reason}`
}

/** Something that does not belong, put at a place of the tree; the numbers pick from what there is. */
interface Spoil {
  readonly place: number
  readonly intruder: number
  readonly pick: number
  readonly anything: JsonValue
  /** Undefined: the key of the place. */
  readonly key: string | undefined
  readonly act: 'put' | 'delete' | 'replace the whole'
}

const KEYS = [
  '__proto__',
  'constructor',
  '0',
  '',
  'minlength',
  'anyOf',
  '$ref',
  'type',
  'a'.repeat(300),
  'toJSON',
  'then',
]

const spoils: fc.Arbitrary<Spoil> = fc.record({
  place: fc.noBias(fc.nat(9_999)),
  intruder: fc.noBias(fc.nat(9_999)),
  pick: fc.noBias(fc.nat(9_999)),
  anything: anyJson,
  key: either(2, fc.constant(undefined), fc.constantFrom(...KEYS)),
  act: fc.oneof(
    { weight: 39, arbitrary: fc.constant('put' as const) },
    { weight: 10, arbitrary: fc.constant('delete' as const) },
    { weight: 1, arbitrary: fc.constant('replace the whole' as const) },
  ),
})

function spoilDeclaration(declaration: Declaration, spoil: Spoil) {
  const place = choose(spoil.place, listPlaces(declaration))
  const names = Object.keys(INTRUDERS).filter(name => place.inFields || !OF_CODE_ALONE.has(name))
  const intruder = choose(spoil.intruder, names)
  const value = INTRUDERS[intruder]?.(spoil)
  if (spoil.act === 'replace the whole' && !OF_CODE_ALONE.has(intruder))
    return { intruder, how: `${intruder} as a whole`, declaration: value }
  const { holder, key } = place
  if (spoil.act === 'delete') delete holder[key]
  else Reflect.set(holder, Array.isArray(holder) ? key : (spoil.key ?? key), value)
  return { intruder, how: `${intruder} at ${key}`, declaration }
}

/** What is put where it does not belong, by name. */
export const INTRUDERS: { readonly [name: string]: (spoil: Pick<Spoil, 'pick' | 'anything'>) => unknown } = {
  anything: ({ anything }) => anything,
  null: () => null,
  'a number': ({ pick }) => choose(pick, [0, -1, Number.POSITIVE_INFINITY, Number.NaN, 2 ** 53, -0, 1.5]),
  'a word': ({ pick }) =>
    choose(pick, [
      '',
      'string',
      'strnig',
      '(a+)+$',
      '(?=x)',
      '[',
      '0.0000001',
      '0x1',
      '1e-2',
      '\ud800',
      'x'.repeat(100_000),
    ]),
  'a BigInt': () => 1n,
  'a symbol': () => Symbol('x'),
  'a function': () => () => 1,
  'a date': () => new Date(Number.NaN),
  'a map': () => new Map(),
  'a throwing getter': () =>
    Object.defineProperty({}, 'type', { enumerable: true, get: () => JSON.parse('x') as unknown }),
  'an evil proxy': () => evilProxy(),
  'a cycle': () => {
    const cycle: { properties?: unknown; type: string } = { type: 'object' }
    cycle.properties = { cycle }
    return cycle
  },
  depth: () => {
    let deep: unknown = { type: 'string' }
    for (let left = 200; left > 0; left -= 1) deep = { type: 'array', items: deep }
    return deep
  },
  'very many keys': () =>
    Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, { type: 'string' }])),
  'a long pattern': () => ({ type: 'string', pattern: '(a{1,99}){1,99}'.repeat(17) }),
  'a field with everything': () => ({
    type: 'string',
    enum: [1],
    default: 5,
    minLength: 5,
    maxLength: 1,
    examples: [null],
    format: 'x',
  }),
}

/** No file and no network brings these: only the check of fields promises to bear them, for what programs hand it. */
const OF_CODE_ALONE: ReadonlySet<string> = new Set(['an evil proxy', 'a throwing getter'])

interface Place {
  /** Somewhere below an `input_schema` or `output_schema`. */
  readonly inFields: boolean
  readonly holder: { [key: string]: unknown }
  readonly key: string
}

function listPlaces(value: unknown, inFields = false): readonly Place[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Place['holder']
  return Object.keys(holder).flatMap(key => [
    { holder, key, inFields },
    ...listPlaces(holder[key], inFields || key.endsWith('_schema')),
  ])
}
