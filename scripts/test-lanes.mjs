// The lanes of the tests. The first lane of `npm test` has the tests that need only this process: no chain, no
// database, no program. Their imports determine which these are, so there is no list to maintain;
// `no-programs.test-setup.mjs` enforces it.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The slowest tests: whole programs, installed, killed or put under load; contracts under random calls. */
export const LONG_TESTS = [
  'e2e/call.test.ts',
  'e2e/clone.test.ts',
  'e2e/conformance.test.ts',
  'e2e/crashes.test.ts',
  'e2e/deliverable.test.ts',
  'e2e/facilitator-rules.test.ts',
  'e2e/newcomer.test.ts',
  'e2e/one-payment-one-job.test.ts',
  'e2e/owners.test.ts',
  'e2e/packages.test.ts',
  'e2e/pay-invoices.test.ts',
  'e2e/platform-crashes.test.ts',
  'e2e/platform.test.ts',
  'e2e/rolling-restart.test.ts',
  'e2e/secrets.test.ts',
  'e2e/stopping.test.ts',
  'packages/cli/src/check/wrong-agents.test.ts',
  'packages/cli/src/dev/dev-restart.test.ts',
  'packages/cli/src/dev/dev-trouble.test.ts',
  'packages/cli/src/dev/paid/paid-path.test.ts',
  'packages/cli/src/flow/run/flow-kill.test.ts',
  'packages/cli/src/limits/limits-kill.test.ts',
  'packages/cli/src/register/afterwards.test.ts',
  'packages/cli/src/register/register-again.test.ts',
  'packages/facilitator/src/recovery.test.ts',
  'packages/farebox/src/hiring/killed-hires.test.ts',
  'packages/farebox/src/isolation/misbehaving-handlers.test.ts',
  'packages/farebox/src/loop-watch/watch-loop.test.ts',
  'packages/farebox/src/spending/spend-storm.test.ts',
  'packages/farebox/src/workers/workers.test.ts',
  'packages/local/src/chain/agent-registry.invariants.test.ts',
  'packages/local/src/chain/spend-permissions.invariants.test.ts',
  'packages/local/src/economy.test.ts',
  'packages/local/src/postgres/start-postgres.test.ts',
  'packages/local/src/testing/hiring-ring/ring.test.ts',
  'packages/platform/src/monitor/rounds.test.ts',
  'packages/platform/src/runs/killed-runs.test.ts',
]

/** Modules that use a program, a database or a browser. */
const OUTSIDE =
  /^(?:pg|ioredis|playwright-core|node:child_process|@farebox\/local\/(?!chain\/test-keys|src\/chain\/test-keys).*)$/

/** Files whose imports count: those of tests. A test does not use every import of the code under test. */
const OF_TESTS = /\/(?:test-setup|testing|stage)\/|\.test\.ts$|\.child\.ts$|\.test-setup\.ts$/

/** These start programs or connect to a database through the tested code, so that their imports do not show it. */
const STARTS_PROGRAMS = [
  'packages/cli/src/terminal/open-browser.test.ts',
  'packages/farebox/src/hiring/hiring.test.ts',
  'packages/server/src/postgres/connect.test.ts',
]

const IMPORT = /(?:from|import|import\()\s*['"]([^'"]+)['"]/g

/**
 * The tests beside the sources that belong to the first lane.
 *
 * @returns {readonly string[]} paths below the root
 */
export function quickTests() {
  const others = [...LONG_TESTS, ...STARTS_PROGRAMS]
  return testFiles().filter(file => !others.includes(file) && !needsMore(file))
}

function testFiles() {
  // A copy with only the packages has no apps.
  const rows = ['packages', 'apps'].filter(row => existsSync(join(root, row)))
  const folders = rows.flatMap(row => readdirSync(join(root, row)).map(name => `${row}/${name}/src`))
  return [...folders, 'bench/src']
    .filter(folder => existsSync(join(root, folder)))
    .flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true })
        .filter(name => name.endsWith('.test.ts'))
        .map(name => `${folder}/${name.replaceAll('\\', '/')}`),
    )
}

/** Whether a file, or a file of test code that it imports, uses resources outside its process. */
function needsMore(file) {
  const seen = new Set()
  const waiting = [file]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    for (const [, specifier] of readFileSync(join(root, path), 'utf8').matchAll(IMPORT)) {
      if (OUTSIDE.test(specifier)) return true
      const target = fileOf(path, specifier)
      if (target === undefined || !existsSync(join(root, target))) continue
      // The package of launchers: everything tested in it is a program.
      if (path.startsWith('packages/local/') && !target.endsWith('/test-keys.ts')) return true
      if (OF_TESTS.test(target)) waiting.push(target)
    }
  }
  return false
}

/** The source that a specifier names, as a path below the root; undefined for a third-party package. */
function fileOf(from, specifier) {
  if (specifier.startsWith('.')) return normalize(join(dirname(from), specifier))
  const [, name, path] = /^@farebox\/([a-z-]+)\/((?:src|testing)\/.+)$/.exec(specifier) ?? []
  return name === undefined ? undefined : `packages/${name}/${path}.ts`
}
