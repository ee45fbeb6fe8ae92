import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findHandlers, HandlersError } from './load-handlers.ts'

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

async function refusalOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(HandlersError)
  return error instanceof Error ? error.message : ''
}

describe('finding the file', () => {
  test('D28 beside the config before src/, TypeScript before JavaScript', async () => {
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

  test('D28 none: says where they may be', async () => {
    const config = join(folder, 'agent.json')
    expect(await refusalOf(findHandlers(config))).toBe(
      `no handlers beside ${config}: write handlers.ts (or .mts, .js, .mjs) there or in src/, or name the file with --handlers`,
    )
  })
})

// In a process of its own, as `farebox start` loads it: a test runner has its own way with imports.
describe('loading it', () => {
  test('D28 what can be loaded, and what is said of the rest', async () => {
    await write('words.ts', 'export const words = (text: string): number => text.split(" ").length')
    const files = {
      'map.mjs': 'export default { echo: ({ text }) => ({ text }) }',
      'map.ts': 'type In = { text: string }\nexport default { echo: ({ text }: In) => ({ text }) }',
      'map.mts': 'interface In { text: string }\nexport default { echo: ({ text }: In) => ({ text }) }',
      'common.cjs': 'module.exports = { echo: ({ text }) => ({ text }) }',
      'function.mjs': 'export default ({ text }) => ({ text })',
      'function.ts': 'export default ({ text }: { text: string }) => ({ text })',
      'imports.ts':
        "import { words } from './words.ts'\nexport default { echo: ({ text }: { text: string }) => ({ words: words(text) }) }",
      'named.mjs': 'export const echo = () => ({})',
      'number.ts': 'export default 7',
      'null.mjs': 'export default null',
      'broken.mjs': 'export default {\n  echo: ({ text }) => ({ text )\n}',
      'broken.ts': 'export default {\n  echo: ({ text }: { text: string }) => ({ text )\n}',
      'throws.mjs': 'const nothing = undefined\nnothing.start()\nexport default {}',
      'lacks.mjs': "import 'not-installed-at-all'\nexport default {}",
    }
    for (const [name, text] of Object.entries(files)) await write(name, text)
    const noDefault = /: the default export must be a map from capability name to function, or one function$/
    expect(await loadInChild([...Object.keys(files), 'none.mjs'])).toEqual({
      'map.mjs': 'echo: function',
      'map.ts': 'echo: function',
      'map.mts': 'echo: function',
      'common.cjs': 'echo: function',
      'function.mjs': 'function',
      'function.ts': 'function',
      'imports.ts': 'echo: function',
      'named.mjs': expect.stringMatching(noDefault),
      'number.ts': expect.stringMatching(noDefault),
      'null.mjs': expect.stringMatching(noDefault),
      'broken.mjs': expect.stringMatching(
        /broken\.mjs: could not be loaded: SyntaxError: Unexpected token '\)'\n  node --check .*broken\.mjs shows where$/,
      ),
      'broken.ts': expect.stringMatching(/broken\.ts: could not be loaded: [\s\S]*broken\.ts:2:\d+/),
      'throws.mjs': expect.stringMatching(
        /throws\.mjs: could not be loaded: TypeError: Cannot read properties of undefined[\s\S]*throws\.mjs:2:9/,
      ),
      'lacks.mjs': expect.stringMatching(/lacks\.mjs: could not be loaded: [\s\S]*not-installed-at-all/),
      'none.mjs': expect.stringMatching(/none\.mjs: there is no such file$/),
    })
  })
})

/** What became of each file, in words. */
async function loadInChild(names: readonly string[]): Promise<unknown> {
  const script = await write(
    'load.mjs',
    `
    import { loadHandlers, HandlersError } from ${JSON.stringify(new URL('./load-handlers.ts', import.meta.url).href)}
    const told = {}
    for (const name of process.argv.slice(2)) {
      told[name] = await loadHandlers(new URL(name, import.meta.url).pathname).then(
        handlers => typeof handlers === 'function' ? 'function' : Object.entries(handlers).map(([key, value]) => key + ': ' + typeof value).join(),
        error => error instanceof HandlersError ? error.message : 'not a HandlersError: ' + error)
    }
    console.log(JSON.stringify(told))
  `,
  )
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    import.meta.resolve('tsx'),
    '--conditions=@farebox/source',
    script,
    ...names,
  ])
  return JSON.parse(stdout)
}
