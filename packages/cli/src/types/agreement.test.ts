import type { FieldMap } from '@farebox/protocol/fields/field'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCompileFolder } from '../testing/compile-folder.ts'
import { declarationOf, hostileFields } from '../testing/hostile-declarations.ts'
import { typesOf } from './types-of.ts'

/** One of everything the inference distinguishes. */
const WRITTEN: readonly FieldMap[] = [
  {},
  {
    text: { type: 'string', required: true, minLength: 1 },
    limit: { type: 'integer', default: 10 },
    ratio: { type: 'number' },
    flag: { type: 'boolean', required: false },
    both: { type: 'boolean', enum: [true, false] },
    kind: { type: 'string', enum: ['a', "b'", 'c\\', '\u2028', '\ud800'] },
    level: { type: 'integer', enum: [1, -2], required: true },
    tiny: { type: 'number', enum: [1e-7, 1e21, 0.1] },
  },
  {
    tags: { type: 'array', items: { type: 'string' } },
    grid: { type: 'array', items: { type: 'array', items: { type: 'array' } } },
    levels: { type: 'array', items: { type: 'integer', enum: [1, 2] } },
    level: { type: 'array', items: { type: 'integer', enum: [-1] } },
    pairs: { type: 'array', enum: [[1, 'a'], [], [[null], { a: [true] }]] },
    shapes: { type: 'object', enum: [{ a: 1, 'b-c': { d: ['x'] } }, {}] },
    list: { type: 'array' },
    free: { type: 'object', required: false },
    closed: { type: 'object', properties: {} },
    filled: { type: 'array', default: [1] },
  },
  {
    rows: {
      type: 'array',
      required: false,
      items: {
        type: 'object',
        properties: {
          id: { type: 'integer', required: true },
          name: { type: 'string' },
          note: { type: 'string', required: false, default: '-' },
          more: { type: 'object', properties: { toString: { type: 'string', default: '' } as const } },
        },
      },
    },
    'odd-name': { type: 'object', required: true, properties: { constructor: { type: 'array' } as const } },
  },
]

const SAME =
  'type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false'

test('the written types are those inferred from the same declaration', async () => {
  const schemas = [...WRITTEN, ...fc.sample(hostileFields, { seed: 7, numRuns: 80 })]
  const folder = await createCompileFolder()
  for (const [index, fields] of schemas.entries()) {
    await folder.write(
      `types-${index}.d.ts`,
      typesOf(declarationOf({ job: { input: fields, output: fields } })),
    )
    const lines = [
      `import type { InferInput, InferOutput } from '@farebox/protocol/translation/infer'`,
      `import type { JobInput, JobOutput } from './types-${index}.d.ts'`,
      SAME,
      // JSON is also valid as a type with exactly its value.
      `type Fields = ${JSON.stringify(fields)}`,
      `export const input: Same<JobInput, InferInput<Fields>> = true`,
      `export const output: Same<JobOutput, InferOutput<Fields>> = true`,
    ]
    await folder.write(`agree-${index}.ts`, lines.join('\n'))
  }
  // The comparison itself must detect the smallest difference.
  await folder.write('differ.ts', `${SAME}\nexport const seen: Same<{ a?: 1 }, { a?: 1 | undefined }> = true`)
  const errors = await folder.compile()
  await folder.remove()
  expect(errors).toEqual([
    { file: 'differ.ts', line: 2, message: "TS2322: Type 'true' is not assignable to type 'false'." },
  ])
})
