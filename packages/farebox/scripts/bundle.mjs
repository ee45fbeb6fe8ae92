// Bundles the runtime for publication into few files, so that an agent starts sooner (decision 18).
//   node packages/farebox/scripts/bundle.mjs [folder]   default packages/farebox/bundle

import { readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))
const src = join(root, 'src')

/** Modules that are started, forked or imported by name. The keys are their names in `dist`. */
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

/** Everything an agent needs to start is in one file, because each further file must be found, read and linked. */
const START = 'commands/start.ts'

/** CommonJS packages that `import` would first scan for their exports; `require` avoids that scan. */
const REQUIRED = {
  lmdb: ['open'],
  'node-gyp-build': [],
  'secp256k1/lib/index.js': [],
  'hash-wasm/dist/keccak.umd.min.js': [],
}

/** The pattern engine is larger than the runtime, and most declarations have no pattern, so it is loaded on demand. */
const PATTERNS = 're2js'

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  await bundleRuntime(resolve(process.argv[2] ?? join(root, 'bundle')))

/**
 * Writes the runtime into a folder, which is emptied first. Third-party packages stay external, so that npm can update
 * them; the packages of this repository are bundled.
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
    // A module may be imported lazily in one place and statically in another; that is intended here.
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
    // The folder is flat: code that derives its folder from its own URL (own-frames.ts, supervise-workers.ts) gets the
    // folder of all files.
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

/** Matches the declared dependencies and their submodules, except for those that the plugins below load. */
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

/** Collects the modules that a module imports, directly and indirectly. */
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
