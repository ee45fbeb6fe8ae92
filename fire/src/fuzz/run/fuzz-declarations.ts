import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
import { compileInput, compileOutput } from '@farebox/protocol/fields/compile'
import type { Declaration } from 'farebox'
import { createRandom, type Random } from '../../simulator/seeded-random.ts'
import { makeDeclaration } from '../generate/make-declaration.ts'
import { makeAnything } from '../generate/make-value.ts'
import { evilProxy } from '../handlers/returned-values.ts'
import { describeAnything } from './watch-process.ts'

/** A declaration is checked once, at the start; more than this for one is a way to hang a registry. */
const MAX_CHECK_MS = 1_000

/**
 * Checks so many declarations without a fault, and as many spoilt ones: the first must be taken, the others answered
 * with problems that say where, what and how to fix it, and nothing may throw. Returns what was wrong, in words.
 */
export function fuzzDeclarations(
  seed: number,
  epoch: number,
  count: number,
  onSpoil: (name: string) => void = () => undefined,
): string[] {
  const random = createRandom(seed).fork(`declarations ${epoch}`)
  const wrong: string[] = []
  for (let left = count; left > 0; left -= 1) {
    const declaration = makeDeclaration(random)
    const refused = check(declaration, true)
    if (refused !== undefined) wrong.push(`a good declaration: ${refused}: ${JSON.stringify(declaration)}`)
    const spoilt = spoil(random, structuredClone(declaration))
    onSpoil(`declaration with ${spoilt.intruder}`)
    const fault = check(spoilt.declaration, false)
    if (fault !== undefined)
      wrong.push(`a declaration with ${spoilt.how}: ${fault} (seed ${seed}, epoch ${epoch})`)
  }
  return wrong
}

function check(declaration: unknown, isGood: boolean): string | undefined {
  const startedMs = performance.now()
  try {
    const checked = checkDeclaration(declaration)
    const tookMs = performance.now() - startedMs
    if (tookMs > MAX_CHECK_MS) return `the check took ${Math.round(tookMs)} ms`
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

interface Spoilt {
  readonly intruder: string
  readonly how: string
  readonly declaration: unknown
}

/** Puts something that does not belong at a random place of the tree. */
function spoil(random: Random, declaration: Declaration): Spoilt {
  const places = listPlaces(declaration)
  const place = random.pick(places)
  const how = random.pick(Object.keys(INTRUDERS).filter(name => place.inFields || !OF_CODE_ALONE.has(name)))
  if (random.chance(0.02) && !OF_CODE_ALONE.has(how))
    return { intruder: how, how: `${how} as a whole`, declaration: INTRUDERS[how]?.(random) }
  const { holder, key } = place
  if (random.chance(0.2)) delete holder[key]
  else
    Reflect.set(
      holder,
      !Array.isArray(holder) && random.chance(0.3) ? random.pick(KEYS) : key,
      INTRUDERS[how]?.(random),
    )
  return { intruder: how, how: `${how} at ${key}`, declaration }
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

/** What is put where it does not belong, by name. */
export const INTRUDERS: { readonly [name: string]: (random: Random) => unknown } = {
  anything: random => makeAnything(random, 3),
  null: () => null,
  'a number': random => random.pick([0, -1, Number.POSITIVE_INFINITY, Number.NaN, 2 ** 53, -0, 1.5]),
  'a word': random =>
    random.pick([
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
