import { basename, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { applyEdits, EditDoesNotFit } from '../../edits/edit.ts'
import { openSources, ROOT } from '../../edits/sources.ts'
import type { Mutant } from '../mutants/mutants.ts'

/** As deep in `src` as in `dist`: what is bundled are the sources in any case. */
const FIRE = fileURLToPath(new URL('../../../', import.meta.url))
const SIMULATOR = join(FIRE, 'src', 'simulator')
const STAND_INS = join(SIMULATOR, 'stand-ins')
const PACKAGES = join(ROOT, 'packages')

/**
 * Modules that would reach for the machine, or do the same work in every history, and what stands in for them: of our
 * packages by package and name, wherever in it they are. All else is the real source.
 */
const STANDS_IN: Readonly<Record<string, string>> = {
  'payments/http-json': 'machine.ts',
  'payments/evm-crypto': 'machine.ts',
  'node:crypto': 'machine.ts',
  'node:events': 'machine.ts',
  'node:http': 'machine.ts',
  'prom-client': 'machine.ts',
  'payments/eip-3009': 'pure-functions.ts',
  'payments/payment-header': 'pure-functions.ts',
  'payments/redact': 'pure-functions.ts',
  fastify: 'fastify.ts',
}
/** The same, for other packages than their own. */
const STANDS_IN_ELSEWHERE: Readonly<Record<string, string>> = {
  'protocol/check-declaration': 'pure-functions.ts',
  'protocol/compile': 'pure-functions.ts',
}

/**
 * Bundles the simulator with the sources of all packages, changed as said, into a file of `fire/dist/simulators`;
 * resolves to its path. It exports `createSimulator`, and loaded as a worker it takes seeds.
 *
 * Rejects with {@link EditDoesNotFit} where the sources are no longer what a change was written for.
 */
export async function bundleSimulator(changes: readonly Mutant[] = []): Promise<string> {
  const name = changes.map(change => change.name).join('+') || 'as-it-is'
  const outfile = join(FIRE, 'dist', 'simulators', `${name.slice(-100)}.mjs`)
  const edits = changes.flatMap(change => change.edits)
  const changed =
    edits.length === 0 ? new Map<string, string>() : await applyEdits(name, edits, await openSources())
  const mutation = loadChanged(changed)
  await build({
    entryPoints: [join(SIMULATOR, 'simulator.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@farebox/source'],
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'silent',
    // Globals of the platform, as our packages name them.
    define: {
      'globalThis.crypto': 'seededWebCrypto',
      'crypto.randomUUID': 'seededWebCrypto.randomUUID',
      'crypto.getRandomValues': 'seededWebCrypto.getRandomValues',
    },
    inject: ['machine.ts', 'web.ts'].map(name => join(STAND_INS, name)),
    plugins: [resolveModules, mutation.plugin],
  })
  for (const file of mutation.left) throw new EditDoesNotFit(`"${name}": ${file} is in no simulator`)
  return outfile
}

const resolveModules: Plugin = {
  name: 'stand-ins',
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point') return undefined
      const standIn = standInFor(path, importer)
      if (standIn !== undefined) return { path: join(STAND_INS, standIn) }
      const isOurs = /^(?:@farebox\/|farebox(?:\/|$)|[./])/.test(path)
      return isOurs ? undefined : { path, external: true }
    })
  },
}

/** What stands in for a module that a source of our packages imports; undefined: nothing. */
function standInFor(path: string, importer: string): string | undefined {
  if (!importer.startsWith(PACKAGES)) return undefined
  const importing = relative(PACKAGES, importer).split(sep)[0]
  const name = basename(path, '.ts')
  if (path.startsWith('.')) return STANDS_IN[`${importing}/${name}`]
  const packageName = /^@farebox\/([^/]+)\//.exec(path)?.[1]
  if (packageName === undefined) return STANDS_IN[path]
  return STANDS_IN[`${packageName}/${name}`] ?? STANDS_IN_ELSEWHERE[`${packageName}/${name}`]
}

/** Loads changed files instead of those of the sources. `left` are those that nothing has loaded. */
function loadChanged(changed: ReadonlyMap<string, string>): {
  readonly plugin: Plugin
  readonly left: ReadonlySet<string>
} {
  const left = new Set(changed.keys())
  const plugin: Plugin = {
    name: 'mutants',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const file = relative(ROOT, path)
        const contents = changed.get(file)
        left.delete(file)
        return contents === undefined ? undefined : { contents, loader: 'ts' }
      })
    },
  }
  return { plugin, left }
}
