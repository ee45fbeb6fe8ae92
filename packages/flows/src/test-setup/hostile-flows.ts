import type { Catalog } from '../check/catalog.ts'
import type { Flow } from '../document/flow.ts'
/** Documents of up to a megabyte that are crafted to take long, by the kind of attack. */
export function hostileFlows(): readonly (readonly [name: string, make: () => object])[] {
  return [
    [
      'fourteen thousand inputs that nothing feeds',
      () => flow(steps(40, () => job(fields(350, NEEDED), fields(350, TEXT)))),
    ],
    [
      'every value of an enum against a slow pattern',
      () =>
        flow(
          steps(9, index => (index === 0 ? job({}, { x: LONG_ENUM }) : job(fields(60, SLOW_PATTERN), {}))),
          many(960, index => wire('s0.x', `s${1 + (index % 8)}.${name(index % 60)}`)),
        ),
    ],
    [
      'an enum of objects into many inputs',
      () =>
        flow(
          steps(9, index =>
            index === 0
              ? job({}, { x: OBJECT_ENUM })
              : job(fields(120, { type: 'object', enum: [{ a: 1 }] }), {}),
          ),
          many(960, index => wire('s0.x', `s${1 + Math.floor(index / 120)}.${name(index % 120)}`)),
        ),
    ],
    [
      'patterns that take long to compile, others in every step',
      () =>
        flow(
          steps(100, index =>
            job(
              { ...fields(2, { ...NEEDED, pattern: '(?i)' + '\\pL'.repeat(80) }), [`n${index}`]: TEXT },
              {},
            ),
          ),
        ),
    ],
    [
      'the same patterns in every step, each with a value',
      () =>
        flow(
          steps(200, () => ({
            ...job(fields(2, { ...NEEDED, pattern: '(?i)' + '\\pL'.repeat(80) }), {}),
            constants: { [name(0)]: '1', [name(1)]: '1' },
          })),
        ),
    ],
    [
      'patterns whose samples are long',
      () => flow(steps(40, () => job(fields(40, { ...NEEDED, pattern: '(x{1,200}){1,5}y' }), {}))),
    ],
    [
      'lists of a million items at least',
      () =>
        flow(steps(200, () => job(fields(20, { type: 'array', required: true, minItems: 1_000_000 }), {}))),
    ],
    [
      'examples of a hundred kilobytes',
      () => flow(steps(9, () => job({ a: { ...NEEDED, examples: ['x'.repeat(100_000)] } }, {}))),
    ],
    ['branches one behind the other', branches],
    [
      'names that are nearly right',
      () =>
        flow(
          steps(20, () => job(fields(200, TEXT, 'n'.repeat(55)), fields(200, TEXT, 'm'.repeat(55)))),
          many(1_000, index =>
            wire(
              `s${index % 20}.${'m'.repeat(55)}z${index}`,
              `s${(index + 1) % 20}.${'n'.repeat(55)}z${index}`,
            ),
          ),
        ),
    ],
    [
      'one large type that feeds every output',
      () =>
        flow(
          { s0: job({}, { x: LONG_ENUM }) },
          many(50, index => wire('s0.x', `output.o${index}`)),
          many(50, index => `o${index}`),
        ),
    ],
    [
      'one large constant that feeds every output',
      () =>
        flow(
          { s0: { kind: 'constant', value: 'x'.repeat(900_000) } },
          many(50, index => wire('s0.value', `output.o${index}`)),
          many(50, index => `o${index}`),
        ),
    ],
    [
      'a large object renamed again and again',
      () =>
        flow(
          {
            s0: { kind: 'constant', value: fields(90_000, 1) },
            ...steps(199, () => ({ kind: 'rename', names: { a: 'b' } }), 1),
          },
          many(199, index => wire(`s${index}.${index === 0 ? 'value' : 'object'}`, `s${index + 1}.object`)),
        ),
    ],
    [
      'a list of half a million numbers',
      () => flow({ s0: { kind: 'constant', value: many(500_000, () => 1) } }),
    ],
    ['a list of lists', () => flow({ s0: { kind: 'constant', value: many(300_000, () => []) } })],
    [
      'templates of twenty thousand characters',
      () =>
        flow(
          steps(50, () => ({
            kind: 'template',
            text: many(5_000, index => `{${name(index)}}`)
              .join('')
              .slice(0, 19_999),
          })),
        ),
    ],
    [
      'one property of ninety thousand renamed twice',
      () =>
        flow({
          s0: {
            kind: 'rename',
            names: Object.fromEntries(many(60_000, index => [`k${index}`, name(index)])),
          },
        }),
    ],
    [
      'values for inputs that are not there',
      () => flow({ s0: { kind: 'to-number', constants: fields(90_000, 1) } }),
    ],
    [
      'a large step that waits for what is not there',
      () =>
        flow({
          s0: {
            ...job({ a: { type: 'string', enum: many(40_000, index => `value ${index}`) } }, {}),
            after: many(20, index => ({ step: 'gone', port: `p${index}` })),
          },
        }),
    ],
    [
      'objects of a thousand properties into one another',
      () =>
        flow(
          steps(20, index =>
            job(
              {
                a: {
                  type: 'object',
                  required: true,
                  properties: fields(900, TEXT, index % 2 === 0 ? 'a' : 'b'),
                },
              },
              { x: { type: 'object', properties: fields(900, TEXT, 'a') } },
            ),
          ),
          many(19, index => wire(`s${index}.x`, `s${index + 1}.a`)),
        ),
    ],
    [
      'ninety thousand steps',
      () => ({ ...flow({}), steps: Object.fromEntries(many(90_000, index => [`-${index}`, 1])) }),
    ],
    [
      'ninety thousand places',
      () => ({ ...flow({}), layout: Object.fromEntries(many(90_000, index => [`-${index}`, 1])) }),
    ],
    [
      'ninety thousand inputs',
      () => ({ ...flow({}), inputs: Object.fromEntries(many(90_000, index => [`-${index}`, 1])) }),
    ],
    ['ninety thousand keys that are not known', () => ({ ...flow({}), ...fields(90_000, 1) })],
    [
      'names of a step that are none',
      () =>
        flow({ s0: { kind: 'rename', names: Object.fromEntries(many(40_000, index => [`k${index}`, 1])) } }),
    ],
    [
      'schemas with a fault in every field',
      () => flow(steps(20, () => job(fields(700, { type: 'text' }), {}))),
    ],
  ]
}

const TEXT = { type: 'string' }
const NEEDED = { type: 'string', required: true }
const LONG_ENUM = { type: 'string', enum: many(9_000, index => `${'a'.repeat(30)}${index}`) }
const OBJECT_ENUM = {
  type: 'object',
  enum: many(5_000, index => ({ a: index, b: 'x'.repeat(20), c: [1, 2, 3] })),
}
const SLOW_PATTERN = { type: 'string', pattern: '(\\w|\\d|\\s|.){400}$' }

/** A flow of many agents whose schemas each take long to compile; such agents can be declared one by one. */
export const HEAVY_AGENTS = flow(
  steps(200, index => ({ ...job({}, {}), agent_id: index + 1, constants: fields(2, '1') })),
) as unknown as Flow
export const HEAVY_CATALOG: Catalog = {
  find: id => ({
    agent_name: 'Worker',
    state: 'online',
    hash: 'a'.repeat(64),
    price: '0.01',
    max_deadline_seconds: 5,
    input_schema: {
      [name(0)]: { type: 'string', pattern: `(?i)${'\\pL'.repeat(79)}${id}` },
      [name(1)]: { type: 'string', pattern: `(?i)${'\\pN'.repeat(79)}${id}` },
    },
    output_schema: {},
    permissions: [],
  }),
}

function flow(all: object, wires: readonly object[] = [], outputs: readonly string[] = []): object {
  return { flow_version: 1, name: 'Hostile', inputs: {}, outputs, steps: all, wires }
}

function steps(count: number, make: (index: number) => object, first = 0): object {
  return Object.fromEntries(many(count, index => [`s${first + index}`, make(first + index)]))
}

function job(takes: object, gives: object): object {
  return {
    kind: 'job',
    agent_id: 1,
    capability: 'work',
    pinned: {
      agent_name: 'Worker',
      hash: 'a'.repeat(64),
      price: '0.01',
      max_deadline_seconds: 5,
      input_schema: takes,
      output_schema: gives,
    },
  }
}

function fields(count: number, field: unknown, word = 'f'): object {
  return Object.fromEntries(many(count, index => [name(index, word), field]))
}

function name(index: number, word = 'f'): string {
  return `${word}${index.toString(36)}`
}

function wire(from: string, to: string): object {
  const [source, target] = [from, to].map(end => {
    const [step = '', port = ''] = end.split('.')
    return { step, port }
  })
  return { from: source, to: target }
}

/** Ten branches are tried both ways, each with all wires and all waiting steps. */
function branches(): object {
  const branch = { kind: 'branch', condition: { is: 'there' } }
  const after = many(20, index => ({ step: `s${index % 10}`, port: index % 2 === 0 ? 'then' : 'else' }))
  const four = { a: TEXT, b: TEXT, c: TEXT, d: TEXT }
  return flow(
    steps(200, index => (index < 10 ? branch : { ...job(four, { a: TEXT }), after })),
    [
      ...many(9, index => wire(`s${index}.then`, `s${index + 1}.value`)),
      ...many(760, index =>
        wire(
          `s${index % 10}.${index % 2 === 0 ? 'then' : 'else'}`,
          `s${10 + Math.floor(index / 4)}.${'abcd'[index % 4] ?? ''}`,
        ),
      ),
    ],
  )
}

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}
