import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findHandlers, HandlersMissing } from './load-handlers.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-handlers-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true })
})

async function write(name: string, text: string): Promise<string> {
  const file = join(folder, name)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  return file
}

describe('finding the file', () => {
  test('D28 a file beside the config comes before src/, TypeScript before JavaScript', async () => {
    const candidates = [
      'handlers.ts',
      'handlers.mts',
      'handlers.js',
      'handlers.mjs',
      'src/handlers.ts',
      'src/handlers.mts',
      'src/handlers.js',
      'src/handlers.mjs',
    ]
    for (const name of candidates.toReversed()) {
      const file = await write(name, '')
      expect(await findHandlers(join(folder, 'agent.json'))).toBe(file)
    }
  })

  test('D28 without a file, the error names the places', async () => {
    const error: unknown = await findHandlers('agent.json', folder).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(HandlersMissing)
    expect(error).toMatchObject({
      message: 'no handlers beside agent.json',
      hint: 'write handlers.ts (or .mts, .js, .mjs) there or in src/, or name the file with --handlers',
    })
  })
})

const ECHO = 'export default { echo: ({ text }) => ({ text }) }'

// In a separate process, as `farebox start` loads it, because a test runner handles imports differently.
describe('loading it', () => {
  test('D28 valid files', async () => {
    const files = {
      'words.ts': 'export const words = (text: string): number => text.split(" ").length',
      'map.mjs': ECHO,
      'map.ts': 'type In = { text: string }\nexport default { echo: ({ text }: In) => ({ text }) }',
      'map.mts': 'interface In { text: string }\nexport default { echo: ({ text }: In) => ({ text }) }',
      'common.cjs': 'module.exports = { echo: ({ text }) => ({ text }) }',
      'function.mjs': 'export default ({ text }) => ({ text })',
      'function.ts': 'export default ({ text }: { text: string }) => ({ text })',
      'imports.ts': "import { words } from './words.ts'\nexport default { echo: () => words('a b') }",
    }
    expect(await load(files)).toEqual({
      'words.ts': NO_DEFAULT('words.ts'),
      'map.mjs': 'echo: function',
      'map.ts': 'echo: function',
      'map.mts': 'echo: function',
      'common.cjs': 'echo: function',
      'function.mjs': 'function',
      'function.ts': 'function',
      'imports.ts': 'echo: function',
    })
  })

  test('D28 files with other exports, and missing files', async () => {
    const files = { 'named.mjs': 'export const echo = () => ({})', 'null.mjs': 'export default null' }
    expect(await load({ ...files, 'number.ts': 'export default 7' }, ['none.mjs'])).toEqual({
      'named.mjs': NO_DEFAULT('named.mjs'),
      'null.mjs': NO_DEFAULT('null.mjs'),
      'number.ts': NO_DEFAULT('number.ts'),
      'none.mjs': 'none.mjs: there is no such file\nname the file of handlers with --handlers',
    })
  })

  test('a syntax error is shown with its place and line, also in an imported file', async () => {
    const brokenTs = 'export default {\n  echo: ({ text }: { text: string }) => ({ text )\n}'
    const files = {
      'broken.mjs': 'export default {\n  echo: ({ text }) => ({ text )\n}',
      'lib/broken.mjs': 'export const x = {\n\ta: [1, 2\n}',
      'lib/fine.mjs': "import './broken.mjs'",
      'deep.mjs': "import { x } from './lib/fine.mjs'\nexport default {}",
      'broken.ts': brokenTs,
      'deep.ts': "import './broken.ts'\nexport default {}",
      'exports.mjs': 'export const one = 1',
      'absent.mjs': "import { one } from './exports.mjs'\nimport { two } from './exports.mjs'",
    }
    const broken = "broken.mjs:2:31  Unexpected token ')'\n2 │   echo: ({ text }) => ({ text )\n  │ ".concat(
      ' '.repeat(30),
      '^',
    )
    const ts = `broken.ts:2:49  Expected "}" but found ")"\n${brokenTs.split('\n')[1]?.replace(/^/, '2 │ ')}\n  │ ${' '.repeat(48)}^`
    expect(await load(files)).toMatchObject({
      'broken.mjs': broken,
      'deep.mjs': expect.stringMatching(/^lib\/broken\.mjs:3:1 {2}Unexpected token '}'\n3 │ }\n {2}│ \^$/),
      'broken.ts': ts,
      'deep.ts': ts,
      'absent.mjs': expect.stringMatching(
        /^absent\.mjs:2:10 {2}The requested module '\.\/exports\.mjs' does not provide an export named 'two'\n2 │ /,
      ),
    })
  })

  test.each(['module', 'commonjs'])(
    'an error while loading is shown with the stack lines in the author’s files (%s)',
    async type => {
      const files = {
        'package.json': JSON.stringify({ type }),
        'cities.ts':
          'interface City { name: string }\n\nexport function open(path: string): City {\n  return JSON.parse(path)\n}',
        'throws.ts':
          "import { open } from './cities.ts'\ntype Cities = { [name: string]: string }\nexport const city = open('{')\nexport default {}",
        'throws.mjs': 'const nothing = undefined\nnothing.start()',
        'null.mjs': 'throw null',
      }
      expect(await load(files)).toMatchObject({
        'throws.ts': expect.stringMatching(
          /^throws\.ts could not be loaded: SyntaxError: .+\nat open \(cities\.ts:4:\d+\)\nat throws\.ts:3:\d+(?:\nat throws\.ts:\d+:\d+)?\n?/,
        ),
        'throws.mjs': expect.stringMatching(
          /^throws\.mjs could not be loaded: TypeError: Cannot read properties of undefined.*\nat throws\.mjs:2:9/,
        ),
        'null.mjs': 'null.mjs could not be loaded: null',
      })
    },
  )

  test('a missing module is reported with what to install, or where to look', async () => {
    const files = {
      'lacks.mjs': "import 'not-installed-at-all'",
      'scoped.mjs': "await import('@no-such/package/part')",
      'lacks.ts': "import { thing } from 'not-installed-at-all'\nexport default { thing }",
      'file.mjs': "import './nowhere.mjs'",
    }
    const package_ = "Cannot find package 'not-installed-at-all' imported from lacks"
    expect(await load({ ...files, 'package.json': '{"type":"module"}' })).toMatchObject({
      'lacks.mjs': `lacks.mjs could not be loaded: ${package_}.mjs\nnpm install not-installed-at-all`,
      'lacks.ts': `lacks.ts could not be loaded: ${package_}.ts\nnpm install not-installed-at-all`,
      'scoped.mjs': expect.stringMatching(/\nnpm install @no-such\/package$/),
      'file.mjs':
        "file.mjs could not be loaded: Cannot find module 'nowhere.mjs' imported from file.mjs\ncheck the path in that import, and its extension",
    })
  })
})

const NO_DEFAULT = (name: string): string =>
  `${name}: the default export must be a map from capability name to function, or one function\nexport default { capability: input => output }`

/** Writes the files, and loads each in one process; returns the result of each as a text. */
async function load(
  files: { readonly [name: string]: string },
  more: readonly string[] = [],
): Promise<{ readonly [name: string]: string }> {
  for (const [name, text] of Object.entries(files)) await write(name, text)
  return (await loadInChild([...Object.keys(files), ...more])) as { readonly [name: string]: string }
}

/** The result of loading each file, as a text. */
async function loadInChild(names: readonly string[]): Promise<unknown> {
  const script = await write(
    'load-all.mjs',
    `
    import { loadHandlers, HandlersError } from ${JSON.stringify(new URL('./load-handlers.ts', import.meta.url).href)}
    const told = {}
    for (const name of process.argv.slice(2)) {
      told[name] = await loadHandlers(name).then(
        handlers => typeof handlers === 'function' ? 'function' : Object.entries(handlers).map(([key, value]) => key + ': ' + typeof value).join(),
        error => error instanceof HandlersError
          ? [error.message, ...error.details.filter(line => !line.includes('load-all.mjs')), error.hint].filter(line => line !== '').join('\\n')
          : 'not a HandlersError: ' + error)
    }
    console.log(JSON.stringify(told))
  `,
  )
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), '--conditions=@farebox/source', script, ...names],
    { cwd: folder },
  )
  return JSON.parse(stdout)
}
