import { basename, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type OnResolveArgs, type OnResolveResult } from 'esbuild'
import { applyEdits, EditDoesNotFit } from '../../edits/edit.ts'
import { openSources, ROOT } from '../../edits/sources.ts'
import type { Mutant } from '../mutants/mutants.ts'

/** The same depth in `src` as in `dist`: the sources are bundled in either case. */
const FIRE = fileURLToPath(new URL('../../../', import.meta.url))
const SIMULATOR = join(FIRE, 'src', 'simulator')
const STAND_INS = join(SIMULATOR, 'stand-ins')
const PACKAGES = join(ROOT, 'packages')

/**
 * Modules that would use the machine, or repeat the same work in every history, and their replacements: for our
 * packages by package and name, in any folder. All other modules are the real sources.
 */
const STANDS_IN: { readonly [standIn: string]: readonly string[] } = {
  'machine.ts': 'payments/http-json payments/evm-crypto node:crypto node:events node:http prom-client'.split(
    ' ',
  ),
  'pure-functions.ts': ['payments/eip-3009', 'payments/payment-header', 'payments/redact'],
  'fastify.ts': ['fastify'],
}
/** The same, for packages other than their own. */
const STANDS_IN_ELSEWHERE = ['protocol/check-declaration', 'protocol/compile']

/** Read once: there are many mutants. */
let sources: ReturnType<typeof openSources> | undefined

function readSources(): ReturnType<typeof openSources> {
  sources ??= openSources()
  return sources
}

/**
 * Bundles the simulator with the sources of all packages, with these changes, into a file of `fire/dist/simulators`;
 * resolves to its path. It exports `createSimulator`, and loaded as a worker it accepts seeds.
 *
 * Rejects with {@link EditDoesNotFit} if the sources no longer fit a change.
 */
export async function bundleSimulator(changes: readonly Mutant[] = []): Promise<string> {
  const name = changes.map(change => change.name).join('+') || 'as-it-is'
  const outfile = join(FIRE, 'dist', 'simulators', `${name.slice(-100)}.mjs`)
  const edits = changes.flatMap(change => change.edits)
  const changed =
    edits.length === 0 ? new Map<string, string>() : applyEdits(name, edits, await readSources())
  const left = new Set(changed.keys())
  await build({
    entryPoints: [join(SIMULATOR, 'simulator.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@farebox/source'],
    // Stack traces through deliberately broken code are not used.
    sourcemap: edits.length === 0 && 'inline',
    sourcesContent: false,
    logLevel: 'silent',
    // Globals of the platform, under the names in our packages.
    define: {
      'globalThis.crypto': 'seededWebCrypto',
      'crypto.randomUUID': 'seededWebCrypto.randomUUID',
      'crypto.getRandomValues': 'seededWebCrypto.getRandomValues',
    },
    inject: ['machine.ts', 'web.ts'].map(name => join(STAND_INS, name)),
    plugins: [
      {
        name: 'stand-ins and changes',
        setup({ onLoad, onResolve }) {
          onResolve({ filter: /.*/ }, resolveModule)
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const file = relative(ROOT, path)
            left.delete(file)
            const contents = changed.get(file)
            return contents === undefined ? undefined : { contents, loader: 'ts' }
          })
        },
      },
    ],
  })
  for (const file of left) throw new EditDoesNotFit(`"${name}": ${file} is in no simulator`)
  return outfile
}

function resolveModule({ path, importer, kind }: OnResolveArgs): OnResolveResult | undefined {
  if (kind === 'entry-point') return undefined
  const standIn = standInFor(path, importer)
  if (standIn !== undefined) return { path: join(STAND_INS, standIn) }
  const isOurs = /^(?:@farebox\/|farebox(?:\/|$)|[./])/.test(path)
  return isOurs ? undefined : { path, external: true }
}

/** The replacement of a module that a source of our packages imports; undefined: none. */
function standInFor(path: string, importer: string): string | undefined {
  if (!importer.startsWith(PACKAGES)) return undefined
  const owner = path.startsWith('.')
    ? relative(PACKAGES, importer).split(sep)[0]
    : /^@farebox\/([^/]+)\//.exec(path)?.[1]
  const name = owner === undefined ? path : `${owner}/${basename(path, '.ts')}`
  if (!path.startsWith('.') && STANDS_IN_ELSEWHERE.includes(name)) return 'pure-functions.ts'
  return Object.keys(STANDS_IN).find(standIn => STANDS_IN[standIn]?.includes(name))
}
