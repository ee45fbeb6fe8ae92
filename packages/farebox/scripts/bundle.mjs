// Makes the runtime that is published: few files, so that an agent is there sooner (decision 18).
//   node packages/farebox/scripts/bundle.mjs [folder]   default packages/farebox/bundle

import { readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))
const src = join(root, 'src')

/** What is started, forked or imported by name. The names are those under which `dist` has them. */
const ENTRIES = {
  bin: 'bin.ts',
  index: 'index.ts',
  'command-line': 'command-line.ts',
  'commands/runtime-commands': 'commands/runtime-commands.ts',
  'testing/index': 'testing/index.ts',
  worker: 'workers/worker.ts',
  'input-program': 'input-checks/input-program.ts',
  'handler-program': 'isolation/handler-program.ts',
  'orphan-guard-program': 'isolation/orphan-guard-program.ts',
}

/** All that an agent needs to start is one file; each file more costs its search, its reading and its linking. */
const START = 'commands/start.ts'

/** CommonJS that `import` would first read for its exports: `require` spares that. */
const REQUIRED = {
  lmdb: ['open'],
  'node-gyp-build': [],
  'secp256k1/lib/index.js': [],
  'hash-wasm/dist/keccak.umd.min.js': [],
}

/** The engine is larger than the runtime, and most declarations have no pattern. */
const PATTERNS = 're2js'

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  await bundleRuntime(resolve(process.argv[2] ?? join(root, 'bundle')))

/**
 * Writes the runtime into a folder, which is emptied before. Other people's packages stay outside, where npm keeps
 * them up to date; ours are in it.
 *
 * @param {string} folder
 */
export async function bundleRuntime(folder) {
  rmSync(folder, { recursive: true, force: true })
  const start = new Set()
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, join(src, file)])),
    platform: 'node',
    // What is imported late in one place and at once in another is no mistake here.
    checks: { ineffectiveDynamicImport: false },
    preserveEntrySignatures: 'allow-extension',
    resolve: { conditionNames: ['@farebox/source', 'node', 'import', 'default'] },
    external: isDependency(),
    plugins: [requireThem(), patternsOnDemand(), noteImports(join(src, START), start)],
  })
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    // Flat: whoever asks where it lies (own-frames.ts, supervise-workers.ts) finds the folder of all of them.
    chunkFileNames: '[name].js',
    comments: { legal: true, annotation: false, jsdoc: false },
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: 'runtime', test: id => start.has(id) }],
    },
  })
  await bundle.close()
  return output
}

/** Of those declared: the package itself, and what lies in it; but not what is loaded in a way of its own, below. */
function isDependency() {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const names = Object.keys({ ...dependencies, ...peerDependencies }).filter(
    name => !name.startsWith('@farebox/'),
  )
  return id =>
    names.some(name => id === name || id.startsWith(`${name}/`)) &&
    id !== PATTERNS &&
    !Object.hasOwn(REQUIRED, id)
}

function requireThem() {
  return {
    name: 'require-them',
    resolveId: id => (Object.hasOwn(REQUIRED, id) ? `\0required:${id}` : undefined),
    load(id) {
      if (!id.startsWith('\0required:')) return undefined
      const name = id.slice('\0required:'.length)
      const names = REQUIRED[name].map(one => `export const ${one} = required.${one}\n`)
      return `import { createRequire } from 'node:module'\nconst required = createRequire(import.meta.url)(${JSON.stringify(name)})\nexport default required\n${names.join('')}`
    },
  }
}

function patternsOnDemand() {
  return {
    name: 'patterns-on-demand',
    resolveId: id => (id === PATTERNS ? '\0re2js' : undefined),
    load: id =>
      id === '\0re2js'
        ? `import { createRequire } from 'node:module'\nexport const RE2JS = { compile: source => createRequire(import.meta.url)('${PATTERNS}').RE2JS.compile(source) }\n`
        : undefined,
  }
}

/** Collects what a module imports, and what that imports. */
function noteImports(entry, found) {
  return {
    name: 'note-imports',
    buildEnd() {
      found.add(entry)
      for (const id of found)
        for (const imported of this.getModuleInfo(id)?.importedIds ?? [])
          if (this.getModuleInfo(imported)?.isExternal !== true) found.add(imported)
    },
  }
}
