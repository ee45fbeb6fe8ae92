import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { goOutside, type Ended, type Outside } from './stage/installed/outside.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Packages for development; `@farebox/local` and the facilitator are primarily programs. */
const LIBRARIES = [
  'farebox',
  '@farebox/client',
  '@farebox/payments',
  '@farebox/protocol',
  '@farebox/contracts',
  '@farebox/conformance',
]

let outside: Outside
beforeAll(async () => {
  outside = await goOutside()
})
afterAll(() => outside.strike())

describe('the published packages', () => {
  test('are all packages that are not private, with one version', async () => {
    expect(outside.packages.map(({ name }) => name).sort()).toEqual([
      '@farebox/cli',
      '@farebox/client',
      '@farebox/conformance',
      '@farebox/contracts',
      '@farebox/facilitator',
      '@farebox/flows',
      '@farebox/local',
      '@farebox/payments',
      '@farebox/platform',
      '@farebox/platform-api',
      '@farebox/protocol',
      '@farebox/server',
      '@farebox/web',
      'farebox',
    ])
    expect(new Set(outside.packages.map(({ version }) => version)).size).toBe(1)
  })

  test('publint reports nothing about any of them, not even a suggestion', async () => {
    for (const { name, file } of outside.packages) {
      const { buffer, byteOffset, length } = await readFile(file)
      const tarball = buffer.slice(byteOffset, byteOffset + length)
      const { messages, pkg } = await publint({ pack: { tarball } })
      expect(
        messages.map(message => formatMessage(message, pkg, { color: false })),
        name,
      ).toEqual([])
    }
  })
})

test('unwanted files are found before packing', async () => {
  const { checkPackedFiles } = (await import(
    pathToFileURL(join(root, 'scripts/check-packed-files.mjs')).href
  )) as {
    checkPackedFiles(packed: object): readonly string[]
  }
  const files = ['src/a.ts', 'src/a.test.ts', 'dist/b.child.js', 'README.md', 'package.json', 'bin/run.js']
  const problems = checkPackedFiles({
    path: root,
    manifest: { name: 'x', bin: { run: './bin/run.js' }, exports: { './*': './dist/*.mjs' } },
    files: files.map(path => ({ path, mode: 0o644 })),
  })
  expect(problems).toEqual([
    'x  src/a.test.ts: is for tests alone',
    'x  dist/b.child.js: is for tests alone',
    'x  LICENSE: is missing',
    'x  bin/run.js: is not executable',
    'x  dist/*.mjs: is exported, and is not there',
    'x  dist/a.js: is not there: what is packed was not built',
    'x  dist/a.test.js: is not there: what is packed was not built',
  ])
})

describe('a project outside the repository builds on the packages', () => {
  beforeAll(async () => {
    await write('package.json', '{ "name": "consumer", "private": true, "type": "module" }')
    const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      readonly devDependencies: { readonly [name: string]: string }
    }
    const compiler = ['typescript', '@types/node'].map(name => `${name}@${devDependencies[name]}`)
    const { code, err } = await outside.run('npm', [
      'install',
      ...LIBRARIES,
      '@farebox/cli',
      'viem',
      ...compiler,
    ])
    expect(code, err).toBe(0)
    await write('doors.ts', (await listDoors()).map(importLine).join('\n'))
    for (const name of LIBRARIES)
      await write(`shown/${name.replaceAll(/\W/g, '-')}.ts`, await readmeCode(name))
    await write('broken/wrong.ts', `import { readConfig } from 'farebox'\nexport const wrong: 7 = readConfig`)
  })

  test.each(['nodenext', 'bundler'] as const)(
    'finds every exported path and its types: %s, strict, without skipLibCheck',
    async resolution => {
      expect(await compile({ resolution, include: ['doors.ts'] })).toEqual({ code: 0, out: '', err: '' })
    },
  )

  test('the examples of the READMEs compile, and an error in one is detected', async () => {
    // viem's types refer to browser types, whatever is imported from it.
    const { out } = await compile({ resolution: 'nodenext', include: ['shown', 'broken'], lib: ['dom'] })
    expect(out).toMatch(/^broken\/wrong\.ts\(2,14\): error TS2322: .*\n$/)
  })

  test('every exported path can be imported', async () => {
    const doors = await listDoors()
    await write('open.mjs', `${doors.map(openLine).join('\n')}\nconsole.log('opened')\n`)
    expect(await outside.run('node', ['open.mjs'])).toMatchObject({ code: 0, out: 'opened\n' })
  })

  test('private modules cannot be imported, also under the conditions of the repository', async () => {
    const path = '@farebox/payments/src/crypto/bytes'
    await write('closed.mjs', `await import('${path}').catch(error => console.log(error.code))`)
    for (const condition of ['default', '@farebox/source', '@farebox/built']) {
      const { out } = await outside.run('node', [`--conditions=${condition}`, 'closed.mjs'])
      expect(out, condition).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n')
    }
  })
})

test('the conformance kit installs and runs without the runtime', async () => {
  const folder = join(outside.folder, 'kit')
  await write('kit/package.json', '{ "name": "kit", "private": true }')
  const { code, err } = await outside.run('npm', ['install', '@farebox/conformance'], { folder })
  expect(code, err).toBe(0)
  expect((await readdir(join(folder, 'node_modules'))).includes('farebox')).toBe(false)
  const run = (...words: readonly string[]): Promise<Ended> =>
    outside.run('npx', ['@farebox/conformance', ...words], { folder })
  expect(await run('--help')).toMatchObject({ code: 0, err: '' })
  expect(await run('agent', 'http://127.0.0.1:1')).toMatchObject({ code: 2, out: '' })
})

async function write(path: string, text: string): Promise<void> {
  const file = join(outside.folder, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

/** All importable paths. */
async function listDoors(): Promise<readonly string[]> {
  const doors: string[] = []
  for (const name of [...LIBRARIES, '@farebox/cli']) {
    const manifest = await readFile(join(outside.folder, 'node_modules', name, 'package.json'), 'utf8')
    const { exports } = JSON.parse(manifest) as { readonly exports: { readonly [door: string]: unknown } }
    // JSON files are read, not imported.
    doors.push(
      ...Object.keys(exports)
        .filter(door => !door.endsWith('.json'))
        .map(door => name + door.slice(1)),
    )
  }
  expect(doors).toEqual(expect.arrayContaining(['farebox', 'farebox/testing', '@farebox/client/execute']))
  return doors
}

function importLine(door: string, index: number): string {
  return door.endsWith('.json')
    ? `import door${index} from '${door}' with { type: 'json' }\nexport { door${index} }`
    : `export * as door${index} from '${door}'`
}

function openLine(door: string): string {
  return door.endsWith('.json')
    ? `await import('${door}', { with: { type: 'json' } })`
    : `await import('${door}')`
}

/** The examples in the README of a package, each block a module. */
async function readmeCode(name: string): Promise<string> {
  const readme = await readFile(join(outside.folder, 'node_modules', name, 'README.md'), 'utf8')
  const [, code] = /```ts\n([\s\S]*?)```/.exec(readme) ?? []
  if (code === undefined) throw new Error(`${name}/README.md shows no code`)
  return code
}

/** Runs the installed compiler. */
async function compile(options: {
  readonly resolution: 'nodenext' | 'bundler'
  readonly include: readonly string[]
  readonly lib?: readonly string[]
}): Promise<Ended> {
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', ...(options.lib ?? [])],
    types: ['node'],
    module: options.resolution === 'nodenext' ? 'nodenext' : 'esnext',
    moduleResolution: options.resolution,
    resolveJsonModule: true,
    strict: true,
    skipLibCheck: false,
    noEmit: true,
  }
  await write('tsconfig.json', JSON.stringify({ compilerOptions, include: options.include }))
  return await outside.run('npx', ['tsc', '--pretty', 'false'])
}
