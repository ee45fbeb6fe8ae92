import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCompileFolder, type CompileError, type CompileFolder } from '../testing/compile-folder.ts'
import { typesOf } from './types-of.ts'

const two: Declaration = {
  service_version: '1.0',
  name: 'Two',
  description: 'Does two things.',
  wallet: '${AGENT_WALLET_ADDRESS}',
  max_deadline_seconds: 5,
  capabilities: {
    count: {
      description: 'Counts words.',
      pricing: { model: 'per_job', amount: '0.002', currency: 'USDC' },
      input_schema: {
        text: { type: 'string', required: true },
        top: { type: 'integer', default: 10 },
        language: { type: 'string', enum: ['en', 'de'] },
      },
      output_schema: {
        words: { type: 'integer' },
        frequent: { type: 'array', items: { type: 'object', properties: { word: { type: 'string' } } } },
        note: { type: 'string', required: false },
      },
    },
    'shout-it': {
      description: 'Says it louder.',
      pricing: { model: 'per_job', amount: '0.001', currency: 'USDC' },
      input_schema: { text: { type: 'string', required: true }, more: { type: 'array' } },
      output_schema: { text: { type: 'string' } },
    },
  },
}
const { count } = two.capabilities
const one = { ...two, capabilities: { count } } as Declaration

const START = `import type { Handlers } from './agent.d.ts'\nexport default {\n`
const END = `\n} satisfies Handlers\n`
const COUNT = `  count: ({ text, top }) => ({ words: text.length + top, frequent: [{ word: text }] }),`
const SHOUT = `  'shout-it': ({ text }) => ({ text: text.toUpperCase() }),`

/** Files that compile, and the declaration each is for. */
const RIGHT: { readonly [name: string]: string } = {
  'arrows.ts': `${START}${COUNT}\n${SHOUT}${END}`,
  'methods.ts': `${START}
  async count({ text, language = 'en' }, { signal, payer, log }) {
    signal.throwIfAborted()
    log(language + (payer ?? ''))
    await Promise.resolve()
    return { words: text.length, frequent: [], note: undefined }
  },
  'shout-it': ({ text, more = [] }) => ({ text: text + JSON.stringify(more) }),${END}`,
  'named.ts': `import type { JobContext } from 'farebox'
import type { CountInput, CountOutput, Handlers } from './agent.d.ts'
import { createAgent, readConfig, type JsonObject } from 'farebox'
const words = ({ text }: CountInput, _context: JobContext): CountOutput => ({ words: text.length, frequent: [] })
const handlers: Handlers = { count: words, 'shout-it': ({ text }) => ({ text }) }
export const agent = async () => createAgent({ declaration: await readConfig('agent.json'), handlers })
export const asJson = (input: CountInput): JsonObject => input
export default handlers\n`,
  'single.ts': `import type { Handler } from './one.d.ts'
export default (({ text, top }) => ({ words: text.length + top, frequent: [] })) satisfies Handler\n`,
}

/** Files with an error in one line, and the compiler's message for it. */
const WRONG: readonly (readonly [what: string, line: number, message: RegExp, text: string])[] = [
  [
    'an output of the wrong type',
    3,
    /'string' is not assignable to type 'number'/,
    `${START}  count: ({ text }) => ({ words: text, frequent: [] }),\n${SHOUT}${END}`,
  ],
  [
    'an output without a field',
    3,
    /'frequent' is missing .* required in type 'CountOutput'/s,
    `${START}  count: ({ text }) => ({ words: text.length }),\n${SHOUT}${END}`,
  ],
  [
    'an item of the wrong shape',
    3,
    /'word' is missing|'name' does not exist/,
    `${START}  count: ({ text }) => ({ words: 1, frequent: [{ name: text }] }),\n${SHOUT}${END}`,
  ],
  [
    'a promise of the wrong type',
    3,
    /'string' is not assignable to type 'number'/,
    `${START}  count: async ({ text }) => ({ words: text, frequent: [] }),\n${SHOUT}${END}`,
  ],
  ['a capability without a handler', 4, /'shout-it'' is missing .* 'Handlers'/s, `${START}${COUNT}${END}`],
  [
    'a handler without a capability',
    5,
    /'shout' does not exist in type 'Handlers'/,
    `${START}${COUNT}\n${SHOUT}\n  shout: () => ({ text: '' }),${END}`,
  ],
  [
    'a misspelt input field',
    3,
    /'txt' does not exist on type 'CountInput'/,
    `${START}  count: ({ txt }) => ({ words: String(txt).length, frequent: [] }),\n${SHOUT}${END}`,
  ],
  [
    'an optional field taken for granted',
    4,
    /'more' is possibly 'undefined'/,
    `${START}${COUNT}\n  'shout-it': ({ text, more }) => ({ text: text + more.length }),${END}`,
  ],
  [
    'a value no enum has',
    3,
    /no overlap/,
    `${START}  count: ({ language }) => ({ words: language === 'fr' ? 1 : 2, frequent: [] }),\n${SHOUT}${END}`,
  ],
  [
    'a method that wants more than it gets',
    3,
    /Type 'number' is not assignable to type '10'/,
    `${START}  count(input: { text: string; top: 10 }) { return { words: input.top, frequent: [] } },\n${SHOUT}${END}`,
  ],
]

const nameOf = (index: number): string => `wrong-${index}.ts`

describe.each(['nodenext', 'bundler'] as const)('with moduleResolution %s', resolution => {
  let folder: CompileFolder
  let errors: readonly CompileError[] = []

  beforeAll(async () => {
    for (const declaration of [one, two]) expect(checkDeclaration(declaration).ok).toBe(true)
    folder = await createCompileFolder()
    await folder.write('agent.d.ts', typesOf(two))
    await folder.write('one.d.ts', typesOf(one))
    for (const [name, text] of Object.entries(RIGHT)) await folder.write(name, text)
    for (const [index, [, , , text]] of WRONG.entries()) await folder.write(nameOf(index), text)
    errors = await folder.compile(resolution)
  })
  afterAll(() => folder.remove())

  test('correct handlers compile', () => {
    const wrong = WRONG.map((_, index) => nameOf(index))
    expect(errors.filter(({ file }) => !wrong.includes(file))).toEqual([])
  })

  test.each(WRONG.map(([what, line, message], index) => [what, line, message, nameOf(index)] as const))(
    '%s does not',
    (_, line, message, file) => {
      const found = errors.filter(error => error.file === file)
      expect(found).toMatchObject([{ line, message: expect.stringMatching(message) }])
    },
  )

  test('a compiled import of types leaves nothing behind at run time', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', import.meta.resolve('tsx'), '--eval', RUN],
      { cwd: folder.folder },
    )
    expect(stdout.trim()).toBe('{"words":15,"frequent":[{"word":"hello"}]}')
  })
})

const RUN = `import('./arrows.ts').then(({ default: handlers }) =>
  console.log(JSON.stringify(handlers.count({ text: 'hello', top: 10 }))))`
