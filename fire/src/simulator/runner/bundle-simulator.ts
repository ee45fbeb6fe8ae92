import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { applyEdit, MutantDoesNotFit, type Mutant } from '../mutants/mutant.ts'

/** As deep in `src` as in `dist`: what is bundled are the sources in any case. */
const FIRE = fileURLToPath(new URL('../../../', import.meta.url))
const SIMULATOR = join(FIRE, 'src', 'simulator')
const STAND_INS = join(SIMULATOR, 'stand-ins')
const ROOT = join(FIRE, '..')
const PACKAGES = join(ROOT, 'packages')

/**
 * Modules that would reach for the machine, or do the same work in every history, by how our packages import
 * them, and what stands in for them. All else is the real source.
 */
const STANDS_IN: readonly (readonly [RegExp, string])[] = [
  [/^(?:@farebox\/payments|\.)\/http-json(?:\.ts)?$/, 'http-json.ts'],
  [/^(?:@farebox\/payments|\.)\/evm-crypto(?:\.ts)?$/, 'evm-crypto.ts'],
  [/^(?:@farebox\/payments|\.)\/authorization(?:\.ts)?$/, 'authorization.ts'],
  [/^(?:@farebox\/payments|\.)\/payment-header(?:\.ts)?$/, 'payment-header.ts'],
  [/^node:crypto$/, 'node-crypto.ts'],
  [/^node:http$/, 'node-http.ts'],
  [/^fastify$/, 'fastify.ts'],
  [/^@farebox\/protocol\/declaration\/check-declaration$/, 'checked-declarations.ts'],
  [/^@farebox\/protocol\/fields\/compile$/, 'compiled-fields.ts'],
  [/^prom-client$/, 'prom-client.ts'],
]

/**
 * Bundles the simulator with the sources of all packages, changed as said, into a file of `fire/dist/simulators`;
 * resolves to its path. It exports `createSimulator`, and loaded as a worker it takes seeds.
 *
 * Rejects with {@link MutantDoesNotFit} where the sources are no longer what a change was written for.
 */
export async function bundleSimulator(changes: readonly Mutant[] = []): Promise<string> {
  const name = changes.map(change => change.name).join('+') || 'as-it-is'
  const outfile = join(FIRE, 'dist', 'simulators', `${name.slice(-100)}.mjs`)
  const mutation = mutate(changes)
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
    inject: ['web-crypto.ts', 'response.ts', 'abort-controller.ts'].map(name => join(STAND_INS, name)),
    plugins: [resolveModules, mutation.plugin],
  }).catch((error: unknown) => {
    throw mutation.misfit() ?? error
  })
  const unused = mutation.unused()
  if (unused !== undefined) throw new MutantDoesNotFit(`${unused} is in no simulator`)
  return outfile
}

const resolveModules: Plugin = {
  name: 'stand-ins',
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point') return undefined
      const isOfPackages = importer.startsWith(PACKAGES)
      const standIn = isOfPackages ? STANDS_IN.find(([form]) => form.test(path))?.[1] : undefined
      if (standIn !== undefined) return { path: join(STAND_INS, standIn) }
      const isOurs = /^(?:@farebox\/|farebox(?:\/|$)|[./])/.test(path)
      return isOurs ? undefined : { path, external: true }
    })
  },
}

function mutate(changes: readonly Mutant[]): {
  readonly plugin: Plugin
  /** Why a change could not be made. */
  misfit(): MutantDoesNotFit | undefined
  /** A file that was to be changed, and is not part of what was bundled. */
  unused(): string | undefined
} {
  const edits = changes.flatMap(({ name, edits }) => edits.map(edit => ({ name, edit })))
  const left = new Set(edits)
  let misfit: MutantDoesNotFit | undefined
  const plugin: Plugin = {
    name: 'mutants',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const own = edits.filter(({ edit }) => join(ROOT, edit.file) === path)
        if (own.length === 0) return undefined
        let contents = await readFile(path, 'utf8')
        try {
          for (const one of own) {
            contents = applyEdit(one.name, one.edit, contents)
            left.delete(one)
          }
        } catch (error) {
          if (error instanceof MutantDoesNotFit) misfit = error
          throw error
        }
        return { contents, loader: 'ts' }
      })
    },
  }
  return { plugin, misfit: () => misfit, unused: () => [...left][0]?.edit.file }
}
